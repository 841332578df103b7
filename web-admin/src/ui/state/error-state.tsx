import { Button } from '@mantine/core';

import type { RequestError } from '../../api/request-error.js';
import { CopyButton } from '../text/copy-button.js';
import { ToneIcon } from './state-badge.js';
import styles from './states.module.css';

const TITLES: Record<string, string> = {
  NETWORK: 'The server cannot be reached',
  FORBIDDEN: 'Your role does not allow this',
  RATE_LIMITED: 'Too many requests',
  TIMED_OUT: 'The server took too long',
  NOT_READY: 'The server is not ready',
  OPERATION_NOT_TRUSTED: 'This page is older than the server',
  STALE_PAGE: 'This page is older than the server',
  PAGE_AWAY: 'The server does not answer',
};

function sentenceOf({ code, message, details }: RequestError): string {
  if (code === 'FORBIDDEN' && details.requiredRole !== null)
    return `It needs the role ${details.requiredRole.toLowerCase()}. Ask an admin for it.`;
  if (code === 'RATE_LIMITED' && details.retryAfterMs !== null)
    return `Try again in ${Math.ceil(details.retryAfterMs / 1000)} s.`;
  return message;
}

/** A part that could not be read: what happened, Retry, and the request id for the log. */
export function ErrorState({ error, onRetry }: { error: RequestError; onRetry?: () => void }) {
  const { requestId } = error.details;
  const needsReload = ['OPERATION_NOT_TRUSTED', 'STALE_PAGE', 'PAGE_AWAY'].includes(error.code);
  return (
    <div className={styles.state} role="alert">
      <ToneIcon tone="bad" size={18} />
      <p className={styles.title}>{TITLES[error.code] ?? 'This could not be read'}</p>
      <p className={styles.sentence}>{sentenceOf(error)}</p>
      <div className={styles.actions}>
        {needsReload ? (
          <Button onClick={() => window.location.reload()}>Reload</Button>
        ) : (
          onRetry !== undefined && <Button onClick={onRetry}>Retry</Button>
        )}
        {requestId !== null && (
          <span className={styles.request}>
            request <code>{requestId}</code>
            <CopyButton text={requestId} what="request id" />
          </span>
        )}
      </div>
    </div>
  );
}
