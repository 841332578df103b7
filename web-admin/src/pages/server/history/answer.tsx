import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';

import { useQuery } from '../../../api/use-query.js';
import { Fields } from '../../../ui/page/fields.js';
import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { QueryView } from '../../../ui/state/query-view.js';
import { StateBadge } from '../../../ui/state/state-badge.js';
import { exactTime } from '../../../ui/text/time-words.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import { answerQuery, type AnswerData } from './history-query.js';
import styles from './history.module.css';

interface AnswerProps {
  name: string;
  atTs: number;
  onChoose: (ts: number) => void;
}

/** A key that is held down must not ask at every step. */
const REST_MS = 150;

const STATES = {
  FRESH: { tone: 'ok', word: 'answered at once' },
  DUE: { tone: 'warn', word: 'a fetch was tried first' },
  EXPIRED: { tone: 'bad', word: 'expired, a fetch was tried first' },
} as const;

/** What peers would have got at the chosen instant. */
export function Answer({ name, atTs, onChoose }: AnswerProps) {
  const [restingTs] = useDebouncedValue(atTs, REST_MS);
  const query = useQuery(answerQuery, { server: name, at: new Date(restingTs).toISOString() });
  return (
    <Panel title="What would we have answered?">
      <div className={styles.answer}>
        <TextInput
          type="datetime-local"
          step={1}
          label="At (UTC)"
          value={new Date(atTs).toISOString().slice(0, 19)}
          onChange={({ currentTarget: { value } }) => {
            const ts = Date.parse(`${value}Z`);
            if (!Number.isNaN(ts)) onChoose(ts);
          }}
        />
        <QueryView query={query}>{({ keyAnswerAt }) => <Records answer={keyAnswerAt} />}</QueryView>
      </div>
    </Panel>
  );
}

function Records({ answer: { records, complete } }: { answer: AnswerData }) {
  return (
    <div aria-live="polite" className={styles.records}>
      {records.length === 0 && (
        <EmptyState isSmall title="Nothing: no record was known. A fetch was tried first." />
      )}
      {records.map((record) => (
        <AnsweredRecord key={record.recordNumber} record={record} />
      ))}
      {!complete && (
        <p className={styles.small}>
          There may have been more: a record has been deleted since, or lies too far back.
        </p>
      )}
    </div>
  );
}

function AnsweredRecord({ record }: { record: AnswerData['records'][number] }) {
  const { recordNumber, isNewest, state, keys, keyCount } = record;
  const { tone, word } = STATES[state];
  return (
    <section className={styles.record} aria-label={`Record ${recordNumber}`}>
      <p className={styles.recordHead}>
        <strong>Record {recordNumber}</strong> <StateBadge tone={tone}>{word}</StateBadge>
        {!isNewest && <span className={styles.small}>for keys that newer ones did not list</span>}
      </p>
      <Fields
        items={[
          [record.addedAtExact ? 'Fetched' : 'Fetched, or later', exact(record.addedAt)],
          ['Half-way point', exact(record.refetchAfter)],
          ['Valid until', exact(record.validUntil)],
        ]}
      />
      <ul className={styles.keys}>
        {keys.map(({ keyId, kind, valid, expiredAt }) => (
          <li key={keyId}>
            <UntrustedText text={keyId} mono max={40} />{' '}
            {kind === 'VERIFY' ? (
              <StateBadge tone={valid ? 'ok' : 'bad'}>{valid ? 'valid' : 'not valid any more'}</StateBadge>
            ) : (
              <span className={styles.small}>old: for what was signed until {exact(expiredAt)}</span>
            )}
          </li>
        ))}
        {keyCount > keys.length && <li>and {keyCount - keys.length} more keys</li>}
      </ul>
    </section>
  );
}

function exact(at: string | null): string {
  return at === null ? '—' : (exactTime(Date.parse(at)) ?? at);
}
