import { Alert, Box, Button, Code, Group, Text } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';

import { isRecord } from '../../api/is-record.js';
import { graphql } from '../../gql/gql.js';
import type { TraceStepFragment } from '../../gql/graphql.js';
import type { RunningStage } from '../../live/use-watched-run.js';
import { SkeletonLines, ToneIcon, type Tone } from '../state.js';
import { counted } from '../text/number-words.js';
import { CopyButton, JsonView, Note, UntrustedText } from '../text/text.js';
import { durationWords } from '../text/time-words.js';
import { traceMarkdown, type MarkdownReport } from './trace-markdown.js';

/** Spread `...TraceStep` in an operation whose steps go to TraceList. */
export const traceStepFragment = graphql(`
  fragment TraceStep on TraceStep {
    name
    title
    status
    startedAtMs
    durationMs
    message
    advice
    detail
  }
`);

const TONES: Record<TraceStepFragment['status'], Tone> = {
  OK: 'ok',
  WARNING: 'warn',
  FAILED: 'bad',
  SKIPPED: 'idle',
};

interface TraceListProps {
  steps: readonly TraceStepFragment[];
  label: string;
  /** The stage under way, behind those that have ended. */
  running?: RunningStage | null;
}

/** The stages of one operation in order: status, title, time, one sentence, advice, detail on demand. */
export function TraceList({ steps, label, running = null }: TraceListProps) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? steps : steps.filter(({ status }) => status !== 'SKIPPED');
  return (
    <>
      <Box component="ol" aria-label={label} aria-busy={running !== null || undefined}>
        {shown.map((step, index) => (
          <Step key={`${step.name}-${index}`} step={step} />
        ))}
        {running !== null && <RunningStep key={`${running.name}-${running.startedAtMs}`} stage={running} />}
      </Box>
      {shown.length < steps.length && (
        <Button variant="subtle" onClick={() => setShowsAll(true)}>
          {counted(steps.length - shown.length, 'skipped stage')} ▸
        </Button>
      )}
    </>
  );
}

/** The stages of an operation under way; grey lines until the first one is told. */
export function LiveTrace(props: Required<TraceListProps>) {
  if (props.steps.length === 0 && props.running === null) return <SkeletonLines count={3} />;
  return <TraceList {...props} />;
}

interface LineProps {
  tone: Tone;
  title: string;
  /** How it stands, unless it went well. */
  word?: string;
  time: string;
  children?: ReactNode;
}

function Line({ tone, title, word, time, children }: LineProps) {
  return (
    <Group component="li" wrap="nowrap" align="flex-start" gap="xs" py={4}>
      <Box pt={2}>
        <ToneIcon tone={tone} />
      </Box>
      <Box flex={1} miw={0}>
        <Text fw={tone === 'idle' ? 400 : 550} {...(tone === 'idle' ? { c: 'dimmed' } : {})}>
          {title}{' '}
          {word !== undefined && (
            <Text
              component="span"
              size="xs"
              c={`var(--v-${tone === 'bad' || tone === 'warn' ? tone : 'text-3'})`}
            >
              {word}
            </Text>
          )}
        </Text>
        {children}
      </Box>
      <Note>{time}</Note>
    </Group>
  );
}

function Step({ step }: { step: TraceStepFragment }) {
  const { status, title, message, advice, detail, durationMs } = step;
  const [isOpen, setOpen] = useState(status === 'FAILED');
  return (
    <Line
      tone={TONES[status]}
      title={title}
      {...(status === 'OK' ? {} : { word: status.toLowerCase() })}
      time={status === 'SKIPPED' ? '—' : durationWords(durationMs)}
    >
      {message !== null && (
        <Text c="dimmed">
          <UntrustedText text={message} />
        </Text>
      )}
      {advice !== null && (
        <Alert p="xs" my={4} role="note">
          <UntrustedText text={advice} />
        </Alert>
      )}
      <BodyStart detail={detail} />
      {isRecord(detail) && Object.keys(detail).length > 0 && (
        <>
          <Button variant="subtle" size="compact-xs" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide detail' : 'Detail'}
          </Button>
          {isOpen && <JsonView value={detail} what={`detail of ${title}`} />}
        </>
      )}
    </Line>
  );
}

/** How a response begins that is not what was asked for. */
function BodyStart({ detail }: { detail: unknown }) {
  if (!isRecord(detail) || typeof detail['body'] !== 'string') return null;
  const bytes = Number(detail['bytes']);
  return (
    <Box component="figure" m={0} my={4}>
      <Text component="figcaption" size="xs" c="dimmed">
        The response begins{Number.isFinite(bytes) && ` (${bytes.toLocaleString('en')} bytes in all)`}
      </Text>
      <Code block className="v-snippet">
        <UntrustedText text={detail['body']} mono />
      </Code>
    </Box>
  );
}

const TICK_MS = 200;

/** The stage under way, with the time it has taken so far. */
function RunningStep({ stage }: { stage: RunningStage }) {
  const [beganMs] = useState(() => performance.now());
  const [ms, setMs] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setMs(performance.now() - beganMs), TICK_MS);
    return () => clearInterval(timer);
  }, [beganMs]);
  const time = durationWords(Math.round(ms / 100) * 100);
  return <Line tone="busy" title={stage.title} word="under way" time={time} />;
}

/** Copies a trace as Markdown. */
export function CopyTrace(report: MarkdownReport) {
  return (
    <Note>
      Copy as Markdown <CopyButton text={traceMarkdown(report)} what="the trace as Markdown" />
    </Note>
  );
}
