import { Anchor } from '@mantine/core';
import { useState } from 'react';

import { isRecord } from '../../api/is-record.js';
import { StateBadge } from '../../ui/state.js';
import { DataTable } from '../../ui/table/data-table.js';
import type { Column } from '../../ui/table/table-types.js';
import { Note, UntrustedText } from '../../ui/text/text.js';
import { ValueDiff, valueWords, wordsOf } from '../../ui/text/value-diff.js';
import type { SettingData } from './settings-query.js';

const COLUMNS: readonly Column<SettingData>[] = [
  {
    title: 'Setting',
    isMain: true,
    cell: ({ path, description }) => (
      <>
        {path}
        <Note>{description}</Note>
      </>
    ),
  },
  { title: 'Value', width: 360, cell: (setting) => <Value setting={setting} /> },
  {
    title: 'From',
    width: 150,
    cell: ({ source, origin, restartNeeded }) => (
      <>
        <UntrustedText text={origin?.replace(/^.*[/\\]/, '') ?? source.toLowerCase()} max={60} />
        <Note>applies after {restartNeeded ? 'restart' : 'reload'}</Note>
      </>
    ),
  },
];

/** What each setting is for, its value, and where that comes from. */
export function SettingsTable({ name, settings }: { name: string; settings: readonly SettingData[] }) {
  return (
    <DataTable caption={`Settings: ${name}`} rows={settings} rowId={({ path }) => path} columns={COLUMNS} />
  );
}

function Value({ setting }: { setting: SettingData }) {
  const { value, secret, isSet, source, defaultValue, isWaiting, waitingValue } = setting;
  const fallback = valueWords(defaultValue);
  return (
    <>
      {secret ? isSet ? 'set, not shown' : 'not set' : <Plain value={value} />}
      {source !== 'DEFAULT' && fallback !== null && !secret && (
        <Note>
          default: <UntrustedText text={fallback} max={120} />
        </Note>
      )}
      {isWaiting && (
        <Note>
          <StateBadge tone="warn">waits for a restart</StateBadge>{' '}
          {!secret && <ValueDiff from={value} to={waitingValue} />}
        </Note>
      )}
    </>
  );
}

/** Longer lists are folded. */
const FOLDED_ITEMS = 8;

/** A value of the configuration as one reads it: lists and objects line by line. */
function Plain({ value }: { value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  const items = linesOf(value);
  const left = items.length - FOLDED_ITEMS;
  return (
    <>
      <ul>
        {(isWhole ? items : items.slice(0, FOLDED_ITEMS)).map((item, index) => (
          <li key={index}>
            <UntrustedText text={item} mono />
          </li>
        ))}
      </ul>
      {left > 0 && (
        <Anchor
          component="button"
          type="button"
          inherit
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? 'Show less' : `Show ${left} more`}
        </Anchor>
      )}
    </>
  );
}

function linesOf(value: unknown): string[] {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  const [first] = items;
  const isObject = items.length === 1 && isRecord(first) && Object.keys(first).length > 0;
  if (isObject) return Object.entries(first).map(([name, member]) => `${name}: ${wordsOf(member)}`);
  return items.length === 0 ? ['none'] : items.map(wordsOf);
}
