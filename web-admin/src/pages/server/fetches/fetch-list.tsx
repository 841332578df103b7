import { useState } from 'react';

import type { FetchOutcome } from '../../../gql/graphql.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { StateBadge } from '../../../ui/state/state-badge.js';
import { RelativeTime } from '../../../ui/text/relative-time.js';
import { durationWords } from '../../../ui/text/time-words.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import { TraceList } from '../../../ui/trace/trace-list.js';
import type { FetchData } from '../server-query.js';
import styles from './fetches.module.css';

/** What each outcome is called. */
export const OUTCOME_WORDS = { OK: 'ok', FAILED: 'failed' } as const;
const TONES = { OK: 'ok', FAILED: 'bad' } as const;

/** Attempts at a server, each with a button that shows its stages. */
export function FetchList({ fetches }: { fetches: readonly FetchData[] }) {
  return (
    <ul aria-label="Fetches">
      {fetches.map((fetch) => (
        <FetchRow key={fetch.id} fetch={fetch} />
      ))}
    </ul>
  );
}

/** Said in place of the list; `goesOn`: older ones have not been looked at yet. */
export function NoFetches({ outcome, goesOn }: { outcome: FetchOutcome | null; goesOn: boolean }) {
  if (goesOn)
    return <EmptyState title="None among the newest">Older ones have not been looked at yet.</EmptyState>;
  if (outcome === 'OK')
    return (
      <EmptyState title="No fetch of this server went well">
        The failed ones say why; Diagnose asks the server now.
      </EmptyState>
    );
  if (outcome === 'FAILED')
    return (
      <EmptyState title="No fetch of this server failed">As far back as the history is kept.</EmptyState>
    );
  return (
    <EmptyState title="This server has not been asked">
      A fetch happens when a peer asks or an operator refreshes. One that the whitelist forbids is not made.
    </EmptyState>
  );
}

function FetchRow({ fetch }: { fetch: FetchData }) {
  const [isOpen, setOpen] = useState(false);
  const { steps } = fetch;
  return (
    <li className={styles.fetch}>
      <div className={styles.head}>
        <Words fetch={fetch} />
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={isOpen}
          disabled={steps.length === 0}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Hide stages' : 'Stages'}
        </button>
      </div>
      {isOpen && (
        <div className={styles.steps}>
          <TraceList steps={steps} label="Stages of this fetch" />
        </div>
      )}
    </li>
  );
}

function Words({ fetch }: { fetch: FetchData }) {
  const { outcome, startedAt, durationMs, message, cause } = fetch;
  return (
    <>
      <span className={styles.outcome}>
        <StateBadge tone={TONES[outcome]}>{OUTCOME_WORDS[outcome]}</StateBadge>
      </span>
      <span className={styles.when}>
        <RelativeTime at={startedAt} />
      </span>
      <span className={styles.what}>
        {message === null ? <>for {cause}</> : <UntrustedText text={message} />}
        {message !== null && <span className={styles.cause}> for {cause}</span>}
      </span>
      <span className={styles.time}>{durationWords(durationMs)}</span>
    </>
  );
}
