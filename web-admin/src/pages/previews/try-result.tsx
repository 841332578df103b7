import { Anchor, SimpleGrid, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';

import { Panel } from '../../ui/page.js';
import { cardOf } from '../../ui/preview/card-model.js';
import { PreviewCard } from '../../ui/preview/preview-card.js';
import { PropertyTable } from '../../ui/preview/property-table.js';
import { ToneIcon } from '../../ui/state.js';
import { byteWords } from '../../ui/text/number-words.js';
import { JsonView, Note, RelativeTime, SafeLink } from '../../ui/text/text.js';
import { durationWords } from '../../ui/text/time-words.js';
import { CopyTrace, TraceList } from '../../ui/trace/trace-list.js';
import { previewHref } from '../hrefs.js';
import type { TraceData } from './try-query.js';

const SOURCES: Record<NonNullable<TraceData['source']>, string> = {
  HTML: 'from the page',
  IMAGE: 'from a bare image',
  OEMBED_URL: 'from an oEmbed provider',
  OEMBED_DISCOVERED: 'from the page and its oEmbed response',
  OTHER: 'unsupported type',
};

/** The verdict, every stage, the card, and what a client would get. */
export function TryResult({ trace }: { trace: TraceData }) {
  const { url, status, properties, droppedProperties, image, body } = trace;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
      <Stack gap="sm" miw={0}>
        <Stages trace={trace} />
        {droppedProperties.length > 0 && (
          <Panel title="Left out" note="sent by the site, not passed to clients" flush>
            <PropertyTable properties={droppedProperties} caption="Values that were left out" />
          </Panel>
        )}
      </Stack>
      <Stack gap="sm" miw={0}>
        {status === 200 && (
          <Panel title="In a chat client" actions={<Keeping trace={trace} />}>
            <PreviewCard url={url} properties={properties} viewPath={image?.viewPath ?? null} />
          </Panel>
        )}
        {properties.length > 0 && (
          <Panel title="Values" flush>
            <PropertyTable properties={properties} caption="Values of the preview" />
          </Panel>
        )}
        <Panel title="Answer to clients" note={`status ${status}`}>
          <JsonView value={body} what="answer to clients" />
        </Panel>
      </Stack>
    </SimpleGrid>
  );
}

/** How a try ended, in a few words. */
function headlineOf({ status, url, properties, source }: TraceData): string {
  if (status !== 200) return `Clients get ${status}`;
  if (cardOf(url, properties) === null) return 'Clients get an empty preview';
  return source === null ? 'Clients get the cached preview' : 'Clients get a preview';
}

function Stages({ trace }: { trace: TraceData }) {
  const { url, finalUrl, steps, body, status, source, durationMs, downloadedBytes, properties } = trace;
  const verdict = headlineOf(trace);
  const tone = status !== 200 ? 'bad' : cardOf(url, properties) === null ? 'warn' : 'ok';
  const facts = [
    durationWords(durationMs),
    downloadedBytes > 0 ? `${byteWords(downloadedBytes)} read` : null,
    source === null ? null : SOURCES[source],
  ].filter((fact) => fact !== null);
  return (
    <Panel
      title={
        <>
          <ToneIcon tone={tone} /> {verdict}
        </>
      }
      note={facts.join(' · ')}
      actions={<CopyTrace title={`Preview of ${url}`} verdict={verdict} steps={steps} json={body} />}
    >
      {finalUrl !== null && finalUrl !== url && (
        <Text>
          Ended at <SafeLink url={finalUrl} max={90} />
        </Text>
      )}
      <TraceList steps={steps} label="Stages of the preview" />
    </Panel>
  );
}

/** The stored preview. */
function Keeping({ trace: { stored } }: { trace: TraceData }) {
  if (stored === null) return null;
  return (
    <Note>
      <Anchor component={Link} href={previewHref(stored)} inherit underline="always">
        stored
      </Anchor>
      , expires <RelativeTime at={stored.expiresAt} />
    </Note>
  );
}
