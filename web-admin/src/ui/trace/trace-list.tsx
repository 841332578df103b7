import { useState } from 'react';

import { isRecord } from '../../api/is-record.js';
import type { RunningStage } from '../../live/use-watched-run.js';
import type { TraceStepFragment } from '../../gql/graphql.js';
import { JsonView } from '../json/json-view.js';
import { ToneIcon, type Tone } from '../state/state-badge.js';
import { durationWords } from '../text/time-words.js';
import { UntrustedText } from '../text/untrusted-text.js';
import { RunningStep } from './running-step.js';
import styles from './trace-list.module.css';

const TONES: Record<TraceStepFragment['status'], Tone> = {
  OK: 'ok',
  WARNING: 'warn',
  FAILED: 'bad',
  SKIPPED: 'idle',
};
const WORDS: Record<TraceStepFragment['status'], string> = {
  OK: 'ok',
  WARNING: 'warning',
  FAILED: 'failed',
  SKIPPED: 'skipped',
};

interface TraceListProps {
  steps: readonly TraceStepFragment[];
  label: string;
  /** The stage under way, behind those that have ended. */
  running?: RunningStage | null;
}

/** The stages of one operation in order: status, title, where in time, one sentence, advice, detail on demand. */
export function TraceList({ steps, label, running = null }: TraceListProps) {
  const start = Math.min(...steps.map((step) => step.startedAtMs));
  const end = Math.max(...steps.map((step) => step.startedAtMs + step.durationMs));
  const span = Math.max(end - start, 1);
  return (
    <ol className={styles.list} aria-label={label} aria-busy={running !== null || undefined}>
      {steps.map((step, index) => (
        <Step key={`${step.name}-${index}`} step={step} start={start} span={span} />
      ))}
      {running !== null && <RunningStep key={`${running.name}-${running.startedAtMs}`} stage={running} />}
    </ol>
  );
}

interface StepProps {
  step: TraceStepFragment;
  /** Where the first step begins and how long all take, in ms. */
  start: number;
  span: number;
}

function Step({ step, start, span }: StepProps) {
  return (
    <li className={styles.step} data-status={step.status}>
      <span className={styles.dot}>
        <ToneIcon tone={TONES[step.status]} size={11} />
      </span>
      <div className={styles.words}>
        <p className={styles.title}>
          {step.title}
          {step.status !== 'OK' && <span className={styles.status}>{WORDS[step.status]}</span>}
        </p>
        {step.message !== null && (
          <p className={styles.message}>
            <UntrustedText text={step.message} />
          </p>
        )}
        {step.advice !== null && (
          <p className={styles.advice}>
            <UntrustedText text={step.advice} />
          </p>
        )}
        <BodyStart detail={step.detail} />
        {hasDetail(step.detail) && <Detail step={step} />}
      </div>
      {step.status === 'SKIPPED' ? (
        <span className={styles.time}>—</span>
      ) : (
        <Timing step={step} start={start} span={span} />
      )}
    </li>
  );
}

/** How an answer begins that is not what was asked for. */
function BodyStart({ detail }: { detail: unknown }) {
  if (!isRecord(detail) || typeof detail['body'] !== 'string') return null;
  const bytes = Number(detail['bytes']);
  return (
    <figure className={styles.body}>
      <figcaption>
        The answer begins{Number.isFinite(bytes) && ` (${bytes.toLocaleString('en')} bytes in all)`}
      </figcaption>
      <code>
        <UntrustedText text={detail['body']} mono />
      </code>
    </figure>
  );
}

function hasDetail(detail: unknown): boolean {
  return typeof detail === 'object' && detail !== null && Object.keys(detail).length > 0;
}

/** Open at once where the operation failed. */
function Detail({ step }: { step: TraceStepFragment }) {
  const [open, setOpen] = useState(step.status === 'FAILED');
  return (
    <>
      <button type="button" className={styles.more} aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? 'Hide detail' : 'Detail'}
      </button>
      {open && <JsonView value={step.detail} what={`detail of ${step.title}`} />}
    </>
  );
}

function Timing({ step, start, span }: StepProps) {
  const left = ((step.startedAtMs - start) / span) * 100;
  const width = Math.max((step.durationMs / span) * 100, 0.8);
  return (
    <div className={styles.timing}>
      <span className={styles.track} aria-hidden="true">
        <span className={styles.bar} style={{ left: `${Math.min(left, 99.2)}%`, width: `${width}%` }} />
      </span>
      <span className={styles.time}>{durationWords(step.durationMs)}</span>
    </div>
  );
}
