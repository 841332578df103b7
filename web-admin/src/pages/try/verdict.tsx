import { cardOf } from '../../ui/preview/card-model.js';
import { ToneIcon } from '../../ui/state/state-badge.js';
import { byteWords } from '../../ui/text/bytes.js';
import { durationWords } from '../../ui/text/time-words.js';
import type { TraceData } from './try-query.js';
import styles from './try.module.css';

const SOURCES: Record<NonNullable<TraceData['source']>, string> = {
  HTML: 'from the page',
  IMAGE: 'from a bare image',
  OEMBED_URL: 'from an oEmbed provider',
  OEMBED_DISCOVERED: 'from the page and the oEmbed answer it names',
  OTHER: 'of a type that cannot be read',
};

/** Whether a chat client draws anything of it. */
export function drawsCard({ status, url, properties }: TraceData): boolean {
  return status === 200 && cardOf(url, properties) !== null;
}

/** How a try ended, in a few words. */
export function headlineOf(trace: TraceData): string {
  const { status, properties, source } = trace;
  if (status !== 200) return `Clients get ${status}`;
  if (properties.length === 0) return 'Clients get an empty preview';
  if (!drawsCard(trace)) return 'Clients get an empty preview';
  return source === null ? 'Clients get what is kept' : 'Clients get a preview';
}

/** How a try ended, in one line. */
export function Verdict({ trace }: { trace: TraceData }) {
  const { status, source, durationMs, downloadedBytes } = trace;
  const tone = status !== 200 ? 'bad' : drawsCard(trace) ? 'ok' : 'warn';
  const facts = [
    durationWords(durationMs),
    downloadedBytes > 0 ? `${byteWords(downloadedBytes)} read` : null,
    source === null ? null : SOURCES[source],
  ].filter((fact) => fact !== null);
  return (
    <span className={styles.verdict}>
      <ToneIcon tone={tone} size={14} />
      {headlineOf(trace)}
      <span className={styles.facts}>{facts.join(' · ')}</span>
    </span>
  );
}
