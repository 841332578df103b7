import { NativeSelect } from '@mantine/core';

/** How far back a list looks. */
export const SINCE = ['hour', 'day', 'week', 'month'] as const;
export type Since = (typeof SINCE)[number];

const HOUR_MS = 3_600_000;
const SPANS_MS: Readonly<Record<Since, number>> = {
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  week: 7 * 24 * HOUR_MS,
  month: 30 * 24 * HOUR_MS,
};
const WORDS: Readonly<Record<Since, string>> = {
  hour: 'Last hour',
  day: 'Last day',
  week: 'Last week',
  month: 'Last 30 days',
};

/** The instant a list begins at. It counts from the full minute, so that polling asks the same question. */
export function sinceInstant(since: Since | null): string | null {
  if (since === null) return null;
  const minuteTs = Math.floor(Date.now() / 60_000) * 60_000;
  return new Date(minuteTs - SPANS_MS[since]).toISOString();
}

interface SinceSelectProps {
  value: Since | null;
  onChange: (since: Since | null) => void;
}

/** Chooses how far back a list looks. */
export function SinceSelect({ value, onChange }: SinceSelectProps) {
  return (
    <NativeSelect
      aria-label="Time"
      value={value ?? ''}
      data={[
        { value: '', label: 'Any time' },
        ...SINCE.map((since) => ({ value: since, label: WORDS[since] })),
      ]}
      onChange={(event) => onChange(SINCE.find((since) => since === event.currentTarget.value) ?? null)}
    />
  );
}
