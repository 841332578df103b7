import { Anchor, Code, List } from '@mantine/core';
import '@mantine/core/styles/List.css';
import { useState } from 'react';

import { StateBadge } from '../../ui/state.js';
import { DataTable } from '../../ui/table/data-table.js';
import type { Column } from '../../ui/table/table-types.js';
import { CopyButton, Note, UntrustedText } from '../../ui/text/text.js';
import { ValueDiff, valueWords } from '../../ui/text/value-diff.js';
import type { SettingData } from './settings-query.js';

const SOURCES: Record<SettingData['source'], string> = {
  DEFAULT: 'default',
  FILE: 'file',
  ENVIRONMENT: 'environment',
};

const COLUMNS: readonly Column<SettingData>[] = [
  {
    title: 'Setting',
    isMain: true,
    cell: ({ path, description }) => (
      <>
        {path} <CopyButton text={path} what={`name ${path}`} />
        <Note>{description}</Note>
      </>
    ),
  },
  { title: 'Value', width: 320, isLong: true, cell: (setting) => <Value setting={setting} /> },
  {
    title: 'From',
    width: 190,
    cell: ({ source, origin, restartNeeded }) => (
      <>
        {SOURCES[source]}
        {origin !== null && (
          <Note>
            <UntrustedText text={origin} max={60} />
          </Note>
        )}
        <Note>{restartNeeded ? 'takes effect after restart' : 'takes effect after reload'}</Note>
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

/** A value of the configuration as one reads it: text as text, lists as lists, the rest as JSON. */
function Plain({ value }: { value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  const words = valueWords(value);
  if (words === null) return 'not set';
  if (!Array.isArray(value) || value.length < 2)
    return (
      <Code>
        <UntrustedText text={words} />
      </Code>
    );
  const items = value.map((item) => valueWords(item) ?? 'null');
  const left = items.length - FOLDED_ITEMS;
  return (
    <>
      <List size="sm">
        {(isWhole ? items : items.slice(0, FOLDED_ITEMS)).map((item) => (
          <List.Item key={item}>
            <UntrustedText text={item} mono />
          </List.Item>
        ))}
      </List>
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
