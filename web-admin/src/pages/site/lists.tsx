import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { previewHref } from '../previews/preview-href.js';
import { countWords } from './count-words.js';
import { Latest } from './latest.js';
import type { SiteData } from './site-query.js';

interface ListsProps {
  data: SiteData;
  /** The host as lists take it, for an address. */
  asked: string;
}

/** What came last of a host: previews, failures, refusals. */
export function Lists({ data, asked }: ListsProps) {
  const { previews } = data;
  return (
    <>
      <Latest
        title="Previews"
        about={countWords(previews.totalCount)}
        allHref={`/previews?host=${asked}`}
        none="No preview is stored"
        lines={previews.nodes.map(({ id, url, title, createdAt }) => ({
          id,
          href: previewHref({ id, url }),
          words: title ?? url,
          note: title === null ? 'no title' : <UntrustedText text={url} max={90} />,
          at: createdAt,
        }))}
      />
      <Failed data={data} asked={asked} />
    </>
  );
}

function Failed({ data: { memoryPreviews, blockHits }, asked }: ListsProps) {
  return (
    <>
      <Latest
        title="Failures"
        about={countWords(memoryPreviews.totalCount)}
        allHref={`/previews?tab=memory&state=FAILED&host=${asked}`}
        none="Nothing failed within the last hour"
        lines={memoryPreviews.nodes.map(({ id, url, startedAt, status, message, stored }) => ({
          id,
          href: previewHref({ id: stored?.id ?? null, url }),
          words: url,
          note: <UntrustedText text={`${status ?? ''} ${message ?? ''}`} max={140} />,
          at: startedAt,
        }))}
      />
      <Latest
        title="Refusals"
        about={countWords(blockHits.totalCount)}
        allHref={`/blocking?tab=hits&host=${asked}`}
        none="Nothing was refused"
        lines={blockHits.nodes.map(({ id, at, url, ruleText }) => ({
          id,
          href: `/blocking?tab=check&url=${encodeURIComponent(url)}`,
          words: url,
          note: <UntrustedText text={ruleText} max={140} />,
          at,
        }))}
      />
    </>
  );
}
