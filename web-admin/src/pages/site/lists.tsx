import { isAtLeast } from '../../shell/nav-items.js';
import { useViewer } from '../../session/viewer-context.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { previewHref } from '../previews/preview-href.js';
import { requestHref } from '../request/request-href.js';
import { countWords } from './count-words.js';
import { Latest } from './latest.js';
import type { SiteData } from './site-query.js';

interface ListsProps {
  data: SiteData;
  /** The host as lists take it, for an address. */
  asked: string;
}

/** What came last of a host: previews, traces, requests, failures, refusals. */
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
      <Traces traces={data.hostTraces} />
      {data.hostRequests !== null && <Requests {...data.hostRequests} />}
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

function Traces({ traces }: { traces: SiteData['hostTraces'] }) {
  const seesAll = isAtLeast(useViewer().role, 'OPERATOR');
  return (
    <Latest
      title="Traces"
      about={seesAll ? 'tries and diagnoses that are kept' : 'tries and diagnoses that are shared'}
      none={seesAll ? 'Nothing was tried within the last hour, or shared' : 'None is shared'}
      lines={traces.map(({ traceId, createdAt, actor, preview, server }) => ({
        id: traceId,
        href: `/traces/${traceId}`,
        words: preview?.url ?? server?.serverName ?? '',
        note: (
          <>
            {preview === null ? diagnosisWords(server?.ok === true) : `clients get ${preview.status}`}
            {actor !== null && (
              <>
                , run by <UntrustedText text={actor} max={60} />
              </>
            )}
          </>
        ),
        at: createdAt,
      }))}
    />
  );
}

function diagnosisWords(isOk: boolean): string {
  return isOk ? 'its keys can be fetched' : 'its keys cannot be fetched';
}

function Requests({ events, keptEvents, silent }: NonNullable<SiteData['hostRequests']>) {
  const nobody = keptEvents === 0 ? 'admin.kept_request_events is 0: none is kept' : 'Nobody asked lately';
  return (
    <Latest
      title="Requests"
      about={
        silent.length === 0
          ? 'the latest, of all instances'
          : `the latest; no answer from ${silent.join(', ')}, there may have been more`
      }
      none={nobody}
      lines={events.map(({ requestId, at, subject, outcome, detail }, index) => ({
        id: `${requestId} ${index}`,
        href: requestHref(requestId),
        words: subject,
        note: (
          <>
            {outcome}
            {detail !== null && (
              <>
                : <UntrustedText text={detail} max={140} />
              </>
            )}
          </>
        ),
        at,
      }))}
    />
  );
}
