import { Button, Group, Popover, Stack, TextInput, type TextInputProps } from '@mantine/core';
import '@mantine/core/styles/Popover.css';
import { useState } from 'react';

import { Icon } from '../icons.js';
import { instantOf } from './instant.js';

/** Two instants in UTC as `2026-11-20T21:13`; empty = open at that end. */
interface TimeRangeValue {
  from: string;
  to: string;
}

interface TimeRangeProps {
  /** The verb: "Stored", "Created". */
  label: string;
  value: TimeRangeValue;
  onChange: (value: { from: string; to: string }) => void;
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

function since(spanMs: number): string {
  return new Date(Date.now() - spanMs).toISOString().slice(0, LENGTH);
}

/** A button that opens two times and shortcuts: a filter "created between". */
export function TimeRange({ label, value, onChange }: TimeRangeProps) {
  const isOn = value.from !== '' || value.to !== '';
  return (
    <Popover position="bottom-start" trapFocus returnFocus withRoles>
      <Popover.Target>
        <Button
          variant={isOn ? 'light' : 'default'}
          radius="xl"
          leftSection={<Icon name="calendar" size={13} />}
        >
          {wordsOf(label, value)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={`${label} between`}>
        <Stack gap="sm">
          <Group gap={4}>
            {SHORTCUTS.map(([name, spanMs]) => (
              <Button key={name} onClick={() => onChange({ from: since(spanMs), to: '' })}>
                Last {name}
              </Button>
            ))}
            <Button onClick={() => onChange({ from: '', to: '' })}>Any time</Button>
          </Group>
          {(['from', 'to'] as const).map((end) => (
            <InstantInput
              key={end}
              label={end === 'from' ? 'From' : 'Until'}
              value={value[end]}
              onChange={(instant) => onChange({ ...value, [end]: instant })}
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

interface InstantInputProps extends Pick<TextInputProps, 'description'> {
  label: string;
  /** As `2026-11-20T21:13` in UTC; empty for none. */
  value: string;
  /** Called with a whole instant, or with the empty text. */
  onChange: (value: string) => void;
}

/** An instant as all pages write it. */
export function InstantInput({ label, value, onChange, description }: InstantInputProps) {
  const [typed, setTyped] = useState(value.replace('T', ' '));
  const read = (text: string) => text.trim().replace(' ', 'T');
  const isWhole = (instant: string) => instant === '' || instantOf(instant) !== null;
  // Changed elsewhere, by a shortcut or Back: the box follows.
  const shown = isWhole(read(typed)) && read(typed) !== value ? value.replace('T', ' ') : typed;
  return (
    <TextInput
      label={`${label} (UTC)`}
      placeholder="2026-11-20 21:13"
      description={description}
      value={shown}
      error={!isWhole(read(shown)) && 'Year-month-day hour:minute, such as 2026-11-20 21:13'}
      onChange={({ currentTarget: { value: text } }) => {
        setTyped(text);
        if (isWhole(read(text))) onChange(read(text));
      }}
    />
  );
}
