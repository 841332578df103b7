import { Popover, TextInput } from '@mantine/core';
import { Icon } from '../icons.js';

import styles from './filter.module.css';

/** Two instants as `datetime-local` texts in UTC; empty = open at that end. */
export interface TimeRangeValue {
  from: string;
  to: string;
}

interface TimeRangeProps {
  /** The verb: "Stored", "Created". */
  label: string;
  value: TimeRangeValue;
  onChange: (value: TimeRangeValue) => void;
}

const LENGTH = 'YYYY-MM-DDTHH:MM'.length;
const SHORTCUTS: readonly [string, number][] = [
  ['1 h', 3_600_000],
  ['1 d', 86_400_000],
  ['1 week', 604_800_000],
];

function wordsOf(label: string, { from, to }: TimeRangeValue): string {
  const [start, end] = [from.replace('T', ' '), to.replace('T', ' ')];
  if (start !== '' && end !== '') return `${label} ${start} – ${end}`;
  if (start !== '') return `${label} after ${start}`;
  return end === '' ? `${label} any time` : `${label} before ${end}`;
}

function since(spanMs: number): TimeRangeValue {
  return { from: new Date(Date.now() - spanMs).toISOString().slice(0, LENGTH), to: '' };
}

/** A chip that opens two times and shortcuts: a filter "created between". */
export function TimeRange({ label, value, onChange }: TimeRangeProps) {
  const isOn = value.from !== '' || value.to !== '';
  return (
    <Popover position="bottom-start" trapFocus returnFocus withRoles>
      <Popover.Target>
        <button type="button" className={styles.chip} data-on={isOn || undefined}>
          <Icon name="calendar" size={13} />
          {wordsOf(label, value)}
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={`${label} between`}>
        <div className={styles.range}>
          <Shortcuts onChange={onChange} />
          {(['from', 'to'] as const).map((end) => (
            <TextInput
              key={end}
              type="datetime-local"
              label={end === 'from' ? 'From (UTC)' : 'Until (UTC)'}
              value={value[end]}
              onChange={(event) => onChange({ ...value, [end]: event.currentTarget.value })}
            />
          ))}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

function Shortcuts({ onChange }: Pick<TimeRangeProps, 'onChange'>) {
  return (
    <div className={styles.chips}>
      {SHORTCUTS.map(([name, spanMs]) => (
        <button key={name} type="button" className={styles.chip} onClick={() => onChange(since(spanMs))}>
          Last {name}
        </button>
      ))}
      <button type="button" className={styles.chip} onClick={() => onChange({ from: '', to: '' })}>
        Any time
      </button>
    </div>
  );
}
