import { Alert, Anchor, Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { useCan, useViewer } from '../../session/viewer-context.js';
import { healthQuery } from '../../shell/nav.js';
import { plainField } from '../../ui/filter/fields.js';
import { Chips, FilterBar } from '../../ui/filter/filter-bar.js';
import { PageHeader, Panel } from '../../ui/page.js';
import { EmptyState, needsAttention, QueryView } from '../../ui/state.js';
import { useListView } from '../../ui/table/list-view.js';
import { oneOf } from '../../url/params.js';
import { ReloadDialog, useCheckSettings, type ReloadReport } from './reload-dialog.js';
import { SettingsTable } from './settings-table.js';
import { settingsQuery, type SettingData } from './settings-query.js';

const only = oneOf(['changed', 'waiting', 'live', 'all']);
const FIELDS = { only: plainField(only) };
const SORTS = ['PATH'] as const;
const ONLY = [
  { value: 'changed', label: 'Changed from default' },
  { value: 'all', label: 'All' },
  { value: 'waiting', label: 'Waiting for a restart' },
  { value: 'live', label: 'Reload is enough' },
];

/** Every setting with its value, its default and where it comes from. */
export function Page() {
  const { role } = useViewer();
  if (role !== 'VIEWER') return <Settings />;
  return (
    <>
      <PageHeader title="Settings" />
      <EmptyState title="Operators and admins see this page">
        You are signed in as viewer. Ask an admin for a sign-in code with a higher role.
      </EmptyState>
    </>
  );
}

function Settings() {
  const view = useListView(FIELDS, SORTS, 'PATH');
  const { q } = view.filter;
  // A search looks everywhere; without one, what was changed is what matters.
  const shown = view.filter.only ?? (q === '' ? 'changed' : 'all');
  const query = useQuery(settingsQuery, { search: q || null }, { live: 'list' });
  const problem = useQuery(healthQuery, {}).data?.overview.health.find(
    (check) => check.href === '/settings' && needsAttention(check),
  );
  return (
    <>
      <PageHeader
        title="Settings"
        description="The configuration this process runs with. Change it in the file, then reload or restart."
        actions={<Actions />}
      />
      {problem !== undefined && (
        <Alert color="bad" mb="sm" role="group" data-prose>
          {problem.title} needs attention: see <Link href="/">Overview</Link> for what is wrong.
        </Alert>
      )}
      <FilterBar view={view} placeholder="Name or words of a setting">
        <Chips
          group={{
            label: 'Show only',
            value: shown,
            options: ONLY,
            onChange: (value) => view.setFilter({ only: only.parse(value) }),
          }}
        />
      </FilterBar>
      <QueryView query={query}>
        {({ settings }) => <Groups settings={settings.filter((setting) => isShown(setting, shown))} />}
      </QueryView>
    </>
  );
}

function isShown(setting: SettingData, shown: string): boolean {
  if (shown === 'changed') return setting.source !== 'DEFAULT';
  if (shown === 'waiting') return setting.isWaiting;
  return shown === 'live' ? !setting.restartNeeded : true;
}

function Actions() {
  const can = useCan();
  const { check, isBusy } = useCheckSettings();
  const [report, setReport] = useState<ReloadReport | null>(null);
  return (
    <>
      <Button component={Link} href="/access?tab=audit&action=RELOAD_SETTINGS">
        History
      </Button>
      {can('reloadSettings') && (
        <Button variant="filled" loading={isBusy} onClick={() => void check().then(setReport)}>
          Check and reload…
        </Button>
      )}
      <ReloadDialog report={report} onClose={() => setReport(null)} />
    </>
  );
}

const TOP = 'general';

/** Settings by their group, with contents; those at top level come first. */
function Groups({ settings }: { settings: readonly SettingData[] }) {
  if (settings.length === 0)
    return <EmptyState title="No setting matches">Remove a filter or a word.</EmptyState>;
  const nameOf = ({ path }: SettingData) => (path.includes('.') ? path.replace(/\..*/, '') : TOP);
  const names = [...new Set(settings.map(nameOf))].sort((a, b) => Number(b === TOP) - Number(a === TOP));
  const sorted = names.map((name) => [name, settings.filter((one) => nameOf(one) === name)] as const);
  return (
    <Stack gap="sm">
      <Group component="nav" gap="sm" aria-label="Contents">
        {sorted.map(([name, members]) => (
          <Anchor key={name} href={`#settings-${name}`} inherit>
            {name} ({members.length})
          </Anchor>
        ))}
      </Group>
      {sorted.map(([name, members]) => (
        <div key={name} id={`settings-${name}`}>
          <Panel title={name} flush>
            <SettingsTable name={name} settings={members} />
          </Panel>
        </div>
      ))}
    </Stack>
  );
}
