import { storableText } from '../../base/text/storable-text.js';
import { isHostMeant, readHostPattern } from '../../base/text/url-host.js';
import { keeping, type ListCondition } from '../../store/lists/keyset-filter.js';

const PORT = /:\d+$/;

/**
 * Rows of the servers that are meant, as `readHostPattern`: a name exactly, and those below one whatever their port.
 * `servedBy`: the orders whose index finds one server.
 */
export function onServer(text: string, servedBy: readonly string[]): ListCondition {
  const pattern = readHostPattern(storableText(text));
  if (!pattern.below) return { where: { serverName: storableText(text.trim()) }, servedBy };
  const isMeant = ({ serverName }: Record<string, unknown>): boolean =>
    isHostMeant(pattern, String(serverName).toLowerCase().replace(PORT, ''));
  return { where: { serverName: { contains: pattern.name } }, refinement: keeping(['serverName'], isMeant) };
}
