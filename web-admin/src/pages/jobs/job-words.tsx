import { Group, Progress } from '@mantine/core';
import '@mantine/core/styles/Progress.css';
import { Link } from 'wouter';

import { StateOf, type Tone } from '../../ui/state.js';
import { byteWords } from '../../ui/text/number-words.js';
import { RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { durationWords } from '../../ui/text/time-words.js';
import { runHref } from '../hrefs.js';
import type { JobData, RunData } from './jobs-query.js';

export const JOB_STATES: Record<JobData['state'], readonly [Tone, string]> = {
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

/** How a run stands or ended. */
export function Outcome({ outcome }: { outcome: RunData['outcome'] }) {
  return <StateOf state={outcome} of={OUTCOMES} />;
}

/** How and when a run went, with the way to its details. */
export function LastRun({ run }: { run: RunData | null }) {
  if (run === null) return 'no changes yet';
  return (
    <>
      <Link href={runHref(run.id)}>
        <Outcome outcome={run.outcome} />
      </Link>{' '}
      <RelativeTime at={run.startedAt} />
    </>
  );
}

/** The result of a run in figures, or that it found nothing to do so far. */
export function countWords({ counts, outcome }: Pick<RunData, 'counts' | 'outcome'>): string {
  const done = counts.filter(({ value }) => value > 0);
  if (done.length === 0) return outcome === 'RUNNING' ? 'nothing yet' : 'nothing to do';
  return done
    .map(({ name, value }) =>
      name === 'bytes'
        ? `${byteWords(value)} freed`
        : `${value.toLocaleString('en')} ${name.replaceAll('_', ' ')}`,
    )
    .join(', ');
}

/** Who or what started a run. */
export function Cause({ run: { cause, actor } }: { run: RunData }) {
  if (cause !== 'operator') return 'by schedule';
  return (
    <>
      by <UntrustedText text={actor ?? 'an operator'} max={32} />
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
    <Group gap="xs" wrap="nowrap">
      <Progress.Root size="sm" flex={1} miw={60}>
        <Progress.Section
          role="progressbar"
          aria-label={label}
          value={percent ?? 100}
          animated={percent === null}
          withAria={percent !== null}
        />
      </Progress.Root>
      {percent === null ? 'running' : `${percent} %`}
    </Group>
  );
}
