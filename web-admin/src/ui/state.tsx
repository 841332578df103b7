import { Alert, Badge, Button, EmptyState as Empty, Group, Skeleton, Stack, Text } from '@mantine/core';
import { QueryErrorResetBoundary, type UseQueryResult } from '@tanstack/react-query';
import { Component, type ReactNode } from 'react';

import { toRequestError, type RequestError } from '../api/request-error.js';
import type { HealthState } from '../gql/graphql.js';
import { CopyButton, UntrustedText } from './text/text.js';

/** What a state means to the operator; decides colour and shape. */
export type Tone = 'ok' | 'warn' | 'bad' | 'idle' | 'busy';

const SHAPES: Record<Tone, string> = {
  ok: 'M2.2 6.4 4.9 9 9.9 3.4',
  warn: 'M6 1.6 11 10.4H1Z',
  bad: 'M2.6 2.6 9.4 9.4M9.4 2.6 2.6 9.4',
  idle: 'M2.5 6H9.5',
  busy: 'M6 2A4 4 0 1 1 2 6',
};

/** The shape alone, for places where the word stands beside it. */
export function ToneIcon({ tone, size = 12 }: { tone: Tone; size?: number }) {
  return (
    <svg
      className="v-tone"
      data-tone={tone}
      width={size}
      height={size}
      viewBox="0 0 12 12"
      aria-hidden="true"
    >
      <path d={SHAPES[tone]} />
    </svg>
  );
}

/** A state as word, shape and colour: never colour alone. What is fine stays quiet. */
export function StateBadge({ tone, children }: { tone: Tone; children: string }) {
  return (
    <Badge
      component="span"
      {...(tone === 'ok' ? { variant: 'transparent', px: 0, c: 'dimmed', fw: 400 } : { color: tone })}
      leftSection={<ToneIcon tone={tone} size={10} />}
    >
      {children}
    </Badge>
  );
}

/** A state by a table of tones and words; a state that is not in it is shown as it is. */
export function StateOf({
  state,
  of,
}: {
  state: string;
  of: Readonly<Partial<Record<string, readonly [Tone, string]>>>;
}) {
  const [tone, word] = of[state] ?? ['idle' as const, state.toLowerCase()];
  return <StateBadge tone={tone}>{word}</StateBadge>;
}

/** Whether a health check is to be acted on; what is not proved is only not known. */
export function needsAttention({ state }: { state: HealthState }): boolean {
  return state === 'WARNING' || state === 'FAILED';
}

interface EmptyStateProps {
  title: string;
  /** What to do next, in one or two sentences or as a small form. */
  children?: ReactNode;
  /** For a small panel: one quiet line. */
  isSmall?: boolean;
}

/** Nothing here, and what to do about it. */
export function EmptyState({ title, children, isSmall = false }: EmptyStateProps) {
  return (
    <Empty
      size="sm"
      p={isSmall ? 0 : 'xl'}
      {...(isSmall ? { align: 'left' as const } : {})}
      title={title}
      description={children}
      data-prose
    />
  );
}

const TITLES: Record<string, string> = {
  NETWORK: 'The server cannot be reached',
  FORBIDDEN: 'Your role does not allow this',
  BAD_USER_INPUT: 'This address is not valid',
  RATE_LIMITED: 'Too many requests',
  TIMED_OUT: 'The server took too long',
  NOT_READY: 'The server is not ready',
  OPERATION_NOT_TRUSTED: 'This page is older than the server',
  STALE_PAGE: 'This page is older than the server',
  PAGE_AWAY: 'The server does not answer',
};

function sentenceOf({ code, message, details }: RequestError): string {
  if (code === 'FORBIDDEN' && details.requiredRole !== null)
    return `This requires the ${details.requiredRole.toLowerCase()} role. Ask an admin for it.`;
  if (code === 'RATE_LIMITED' && details.retryAfterMs !== null)
    return `Try again in ${Math.ceil(details.retryAfterMs / 1000)} s.`;
  return message;
}

/** A part that could not be read: what happened, Retry, and the request id for the log. */
export function ErrorState({ error, onRetry }: { error: RequestError; onRetry?: () => void }) {
  const { requestId } = error.details;
  const needsReload = ['OPERATION_NOT_TRUSTED', 'STALE_PAGE', 'PAGE_AWAY'].includes(error.code);
  const act = needsReload ? () => window.location.reload() : onRetry;
  return (
    <Alert color="bad" title={TITLES[error.code] ?? 'This could not be loaded'} m="sm">
      {sentenceOf(error)}
      <Group mt="xs">
        {act !== undefined && <Button onClick={act}>{needsReload ? 'Reload' : 'Retry'}</Button>}
        {requestId !== null && (
          <Text size="xs" component="span">
            request <UntrustedText text={requestId} mono /> <CopyButton text={requestId} what="request id" />
          </Text>
        )}
      </Group>
    </Alert>
  );
}

interface BoundaryProps {
  children: ReactNode;
  onReset: () => void;
}

class Boundary extends Component<BoundaryProps, { error: RequestError | null }> {
  override state = { error: null as RequestError | null };

  static getDerivedStateFromError(error: unknown) {
    return { error: toRequestError(error) };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    const retry = () => {
      this.props.onReset();
      this.setState({ error: null });
    };
    return <ErrorState error={error} onRetry={retry} />;
  }
}

/** A part that may fail alone: an error below it is shown in its place, with Retry. */
export function Section({ children }: { children: ReactNode }) {
  return (
    <QueryErrorResetBoundary>
      {({ reset }) => <Boundary onReset={reset}>{children}</Boundary>}
    </QueryErrorResetBoundary>
  );
}

/** Grey lines in place of text that is on its way. */
export function SkeletonLines({ count = 4 }: { count?: number }) {
  return (
    <Stack gap="sm" p="sm" role="group" aria-busy="true" aria-label="Loading">
      {Array.from({ length: count }, (_, index) => (
        <Skeleton key={index} height={12} width={`${[92, 64, 80, 48][index % 4] ?? 70}%`} />
      ))}
    </Stack>
  );
}

interface QueryViewProps<Data> {
  query: UseQueryResult<Data, RequestError>;
  children: (data: Data) => ReactNode;
  /** In place of the grey lines. */
  loading?: ReactNode;
}

/** Skeleton, error with Retry, or the data. Data already in view stays when a later read fails. */
export function QueryView<Data>({ query, children, loading }: QueryViewProps<Data>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error !== null) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return <>{loading ?? <SkeletonLines />}</>;
}
