import { Progress } from '@mantine/core';

import { StateBadge, type Tone } from '../../ui/state/state-badge.js';
import { Bytes } from '../../ui/text/bytes.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { durationWords } from '../../ui/text/time-words.js';
import type { JobData, RunData } from './jobs-query.js';
import styles from './jobs.module.css';

const STATES: Record<JobData['state'], readonly [Tone, string]> = {
  IDLE: ['ok', 'idle'],
  RUNNING: ['busy', 'running'],
  PAUSED: ['warn', 'paused'],
  SKIPPING: ['idle', 'skipping'],
};

const OUTCOMES: Record<RunData['outcome'], readonly [Tone, string]> = {
  RUNNING: ['busy', 'running'],
  OK: ['ok', 'ok'],
  FAILED: ['bad', 'failed'],
  SKIPPED: ['idle', 'skipped'],
  CANCELLED: ['warn', 'cancelled'],
};

/** How a job stands. */
export function JobStateBadge({ state }: { state: JobData['state'] }) {
  const [tone, word] = STATES[state];
  return <StateBadge tone={tone}>{word}</StateBadge>;
}

/** How a run stands or ended. */
export function OutcomeBadge({ outcome }: { outcome: RunData['outcome'] }) {
  const [tone, word] = OUTCOMES[outcome];
  return <StateBadge tone={tone}>{word}</StateBadge>;
}

/** What a run did, in figures, or that it found nothing to do so far. */
export function Counts({ run: { counts, outcome } }: { run: Pick<RunData, 'counts' | 'outcome'> }) {
  const told = counts.filter(({ value }) => value > 0);
  if (told.length === 0) {
    const words = outcome === 'RUNNING' ? 'nothing yet' : 'nothing to do';
    return <span className={styles.nothing}>{words}</span>;
  }
  return (
    <ul className={styles.counts}>
      {told.map(({ name, value }) => (
        <li key={name}>
          {name === 'bytes' ? (
            <>
              <Bytes bytes={value} /> freed
            </>
          ) : (
            <>
              {value.toLocaleString('en')} {name.replaceAll('_', ' ')}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Who or what began a run. */
export function Cause({ run }: { run: RunData }) {
  if (run.cause !== 'operator') return <>by the clock</>;
  return (
    <>
      by <UntrustedText text={run.actor ?? 'an operator'} max={32} />
    </>
  );
}

/** How long a run took; of one that runs, nothing yet. */
export function runTime({ startedAt, finishedAt }: RunData): string {
  return finishedAt === null ? '…' : durationWords(Date.parse(finishedAt) - Date.parse(startedAt));
}

/** How far a run is; a moving bar when that is not known. */
export function RunProgress({ run, label }: { run: RunData; label: string }) {
  if (run.outcome !== 'RUNNING') return null;
  const percent = run.progress === null ? null : Math.round(run.progress * 100);
  return (
    <div className={styles.progress}>
      <Progress.Root size="sm" className={styles.bar}>
        <Progress.Section
          role="progressbar"
          aria-label={label}
          value={percent ?? 100}
          animated={percent === null}
          withAria={percent !== null}
        />
      </Progress.Root>
      <span>{percent === null ? 'running' : `${percent} %`}</span>
    </div>
  );
}
