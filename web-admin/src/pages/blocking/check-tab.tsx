import { Button, Group, Stack, Switch, Table, Text, TextInput } from '@mantine/core';
import '@mantine/core/styles/Switch.css';
import '@mantine/core/styles/Table.css';
import { useState, type ReactNode } from 'react';

import { useQuery } from '../../api/use-query.js';
import { Panel } from '../../ui/page.js';
import { EmptyState, QueryView, StateBadge } from '../../ui/state.js';
import { flag, text } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { checkQuery, type CheckData } from './blocking-query.js';
import { RuleParts } from './rule-parts.js';

const SHAPE = { url: text(), resolve: flag() };

/** What the rules say of one address; nothing is fetched from it. */
export function CheckTab() {
  const [{ url, resolve }, change] = useSearchParams(SHAPE);
  const [typed, setTyped] = useState(url);
  return (
    <Stack gap="sm">
      <Group
        component="form"
        onSubmit={(event) => {
          event.preventDefault();
          change({ url: typed.trim() }, { push: true });
        }}
      >
        <TextInput
          className="v-search"
          aria-label="URL to check"
          placeholder="https://example.org/path"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          maxLength={8000}
          spellCheck={false}
          data-page-search
        />
        <Switch
          label="Resolve the host name"
          checked={resolve === true}
          onChange={(event) => change({ resolve: event.currentTarget.checked ? true : null })}
        />
        <Button type="submit" variant="filled" disabled={typed.trim() === ''}>
          Check
        </Button>
      </Group>
      {url === '' ? (
        <EmptyState title="Check whether a URL is refused">
          Enter a URL to see every rule that matches. Nothing is fetched.
        </EmptyState>
      ) : (
        <Check url={url} isResolved={resolve === true} />
      )}
    </Stack>
  );
}

function Check({ url, isResolved }: { url: string; isResolved: boolean }) {
  const query = useQuery(checkQuery, { url, resolve: isResolved }, { keepPrevious: false });
  return (
    <QueryView query={query}>
      {({ checkUrl }) => (
        <>
          <Text role="status">
            <StateBadge tone={checkUrl.blocked ? 'bad' : 'ok'}>
              {checkUrl.blocked ? 'refused' : 'allowed'}
            </StateBadge>{' '}
            {checkUrl.message}
          </Text>
          <Result check={checkUrl} isResolved={isResolved} />
        </>
      )}
    </QueryView>
  );
}

/** Rules that match, and addresses of the host. */
function Result({ check, isResolved }: { check: CheckData; isResolved: boolean }) {
  const { matches, addresses } = check;
  return (
    <>
      {matches.length > 0 && (
        <Values
          title="Rules that match"
          note="the first one blocks"
          rows={matches.map(({ parts, source }) => [<RuleParts key="" parts={parts} />, source])}
        />
      )}
      {isResolved && (
        <Values
          title="Addresses of the host"
          note={addresses.length === 0 ? 'The name has no address.' : 'one blocked address is enough'}
          rows={addresses.map(({ address, allowed, rule }) => [
            address,
            <StateBadge key="" tone={allowed ? 'ok' : 'bad'}>
              {allowed ? 'allowed' : 'denied'}
            </StateBadge>,
            rule === null ? 'no matching range' : <RuleParts key="" parts={rule.parts} />,
          ])}
        />
      )}
    </>
  );
}

interface ValuesProps {
  title: string;
  note?: string;
  rows: readonly (readonly ReactNode[])[];
}

function Values({ title, note, rows }: ValuesProps) {
  return (
    <Panel title={title} note={note} flush>
      <Table aria-label={title}>
        <Table.Tbody>
          {rows.map((cells, row) => (
            <Table.Tr key={row}>
              {cells.map((cell, column) => (
                <Table.Td key={column}>{cell}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}
