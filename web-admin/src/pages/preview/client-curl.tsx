import { useSession } from '../../session/session-context.js';
import { Snippet } from '../../ui/text/snippet.js';

/** How a chat client asks for this preview. */
export function ClientCurl({ url }: { url: string }) {
  const { publicUrl, pathPrefix } = useSession();
  // A single quote would end the shell's string; encodeURIComponent leaves it.
  const asked = encodeURIComponent(url).replaceAll("'", '%27');
  const address = `${publicUrl}${pathPrefix}/media/v3/preview_url?url=${asked}`;
  return (
    <Snippet text={`curl -H 'Authorization: Bearer TOKEN' \\\n'${address}'`} what="curl line of a client" />
  );
}
