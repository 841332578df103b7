import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';

import { useChange } from '../../api/use-change.js';
import { useQuery } from '../../api/use-query.js';
import { ConfirmDialog } from '../../ui/dialog/dialog.js';
import { Chips } from '../../ui/filter/filter-bar.js';
import { Panel } from '../../ui/page.js';
import { EmptyState, QueryView } from '../../ui/state.js';
import { DataTable } from '../../ui/table/data-table.js';
import type { Column } from '../../ui/table/table-types.js';
import { counted } from '../../ui/text/number-words.js';
import { Note, RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { oneOf } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { hitsHref } from '../hrefs.js';
import { BlockButton } from './block-dialog.js';
import { removeRuleMutation, rulesQuery, type RuleData } from './blocking-query.js';
import { KINDS, RuleParts } from './rule-parts.js';

const SHAPE = { kind: oneOf(['URL_PATTERN', 'URL_ALLOW', 'IP_DENY', 'IP_ALLOW', 'FEDERATION_ALLOW']) };

/** Ranges that nobody has configured. */
function isBuiltIn({ kind, origin }: RuleData): boolean {
  return (kind === 'IP_DENY' || kind === 'IP_ALLOW') && origin === 'built in';
}

const COLUMNS: readonly Column<RuleData>[] = [
  { title: 'Rule', isMain: true, cell: ({ parts }) => <RuleParts parts={parts} /> },
  { title: 'Kind', width: 150, cell: ({ kind }) => KINDS[kind] },
  {
    title: 'Where',
    cell: ({ setting, position, origin, createdAt }) => (
      <>
        {setting === 'built in' || createdAt !== null ? setting : `${setting}, entry ${position + 1}`}
        {createdAt !== null && (
          <Note>
            <UntrustedText text={origin} max={80} />, <RelativeTime at={createdAt} />
          </Note>
        )}
      </>
    ),
  },
  {
    title: 'Hits',
    isNumber: true,
    width: 80,
    cell: ({ id, hits }) => (hits === 0 ? '0' : <Link href={hitsHref(id)}>{hits.toLocaleString('en')}</Link>),
  },
  { title: 'Last hit', width: 120, cell: ({ lastHitAt }) => <RelativeTime at={lastHitAt} none="never" /> },
];

/** Every rule with where it stands and how often it refused; built-in ones folded. */
export function RulesTab() {
  const [{ kind }, change] = useSearchParams(SHAPE);
  const query = useQuery(rulesQuery, { kind }, { live: 'list' });
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Chips
          group={{
            label: 'Kind',
            value: kind,
            options: Object.entries(KINDS).map(([value, label]) => ({ value, label })),
            onChange: (value) => change({ kind: SHAPE.kind.parse(value) }),
          }}
        />
        <BlockButton />
      </Group>
      <QueryView query={query}>{({ blockRules }) => <Rules rules={blockRules} kind={kind} />}</QueryView>
    </Stack>
  );
}

function Rules({ rules, kind }: { rules: readonly RuleData[]; kind: RuleData['kind'] | null }) {
  const [isOpen, setOpen] = useState(false);
  const [removal, setRemoval] = useState<RuleData | null>(null);
  const { mutateAsync } = useChange(removeRuleMutation);
  const own = rules.filter((rule) => !isBuiltIn(rule));
  const builtIn = rules.length - own.length;
  return (
    <>
      {own.length === 0 && <NoRules kind={kind} />}
      {(own.length > 0 || isOpen) && (
        <Panel flush>
          <DataTable
            caption="Rules"
            rows={isOpen ? rules : own}
            rowId={({ id }) => id}
            columns={COLUMNS}
            actions={(rule) => [
              ...(rule.createdBy === null
                ? []
                : [
                    {
                      label: 'Remove…',
                      danger: true,
                      needs: 'removeBlockRule',
                      onSelect: () => setRemoval(rule),
                    },
                  ]),
              ...(rule.hits > 0 ? [{ label: 'Show hits', href: hitsHref(rule.id) }] : []),
            ]}
          />
        </Panel>
      )}
      {builtIn > 0 && (
        <Group>
          <Button variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {counted(builtIn, 'built-in range')} {isOpen ? '▾' : '▸'}
          </Button>
        </Group>
      )}
      <ConfirmDialog
        opened={removal !== null}
        onClose={() => setRemoval(null)}
        verb="Remove"
        thing="pattern"
        onConfirm={async () => (await mutateAsync({ id: removal?.id ?? '' })).removeBlockRule.userErrors}
      >
        {removal !== null && <RuleParts parts={removal.parts} />}
        <p>Its past hits stay in the list of hits.</p>
      </ConfirmDialog>
    </>
  );
}

const NONE: Partial<Record<RuleData['kind'], string>> = {
  URL_PATTERN: 'Block hosts and patterns here, or in url_preview_url_blacklist of the configuration.',
  FEDERATION_ALLOW: 'federation_domain_whitelist is not set, so keys of every server may be fetched.',
};

function NoRules({ kind }: { kind: RuleData['kind'] | null }) {
  return (
    <EmptyState title="No such rule">
      {(kind !== null && NONE[kind]) || 'Nothing of this kind is configured.'}
    </EmptyState>
  );
}
