import { Group, Text } from '@mantine/core';

import { isRecord } from '../../api/is-record.js';
import { UntrustedText } from './text.js';

/** One line for a value; null when there is none. */
export function valueWords(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value === '' ? '""' : value;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : itemsOf(value).join(', ');
  if (!isRecord(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${name}: ${wordsOf(member)}`);
  return members.length === 0 ? 'none' : members.join('; ');
}

/** A value before and after; of lists what was taken away and what was added. */
export function ValueDiff({ from, to }: { from: unknown; to: unknown }) {
  const isList = Array.isArray(from) && Array.isArray(to);
  const [before, after] = isList ? [from, to].map(itemsOf) : [[wordsOf(from)], [wordsOf(to)]];
  const gone = before?.filter((item) => !isList || !after?.includes(item)) ?? [];
  const added = after?.filter((item) => !isList || !before?.includes(item)) ?? [];
  const kept = isList ? itemsOf(from).length - gone.length : 0;
  return (
    <Group component="span" gap="xs">
      {gone.map((item) => (
        <Text key={item} component="del" inherit c="var(--v-bad)">
          {isList && '− '}
          <UntrustedText text={item} max={120} />
        </Text>
      ))}
      {!isList && '→'}
      {added.map((item) => (
        <Text key={item} component="ins" inherit td="none" c="var(--v-ok)">
          {isList && '+ '}
          <UntrustedText text={item} max={120} />
        </Text>
      ))}
      {isList && <span>{gone.length + added.length === 0 ? 'in another order' : `${kept} unchanged`}</span>}
    </Group>
  );
}

/** The same with a word for no value. */
export function wordsOf(value: unknown): string {
  return valueWords(value) ?? 'not set';
}

function itemsOf(list: readonly unknown[]): string[] {
  return list.map(wordsOf);
}
