import { Skeleton } from '@mantine/core';
import { QueryErrorResetBoundary } from '@tanstack/react-query';
import { Component, type ReactNode } from 'react';

import { toRequestError, type RequestError } from '../../api/request-error.js';
import { ErrorState } from './error-state.js';
import styles from './states.module.css';

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
    <div className={styles.lines} role="group" aria-busy="true" aria-label="Loading">
      {Array.from({ length: count }, (_, index) => (
        <Skeleton key={index} height={12} width={`${[92, 64, 80, 48][index % 4] ?? 70}%`} />
      ))}
    </div>
  );
}
