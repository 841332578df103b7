import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';

import { useBackend } from '../../api/backend-context.js';
import { toRequestError } from '../../api/request-error.js';
import { send } from '../../api/send.js';
import { useQuery } from '../../api/use-query.js';
import { useCan, useViewer } from '../../session/viewer-context.js';
import { useTell } from '../../ui/dialog/use-tell.js';
import { FilterBar } from '../../ui/filter/filter-bar.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { QueryView } from '../../ui/state/query-view.js';
import { oneOf, text } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { ReloadDialog, useCheckSettings, type ReloadReport } from './reload-dialog.js';
import { SettingRow } from './setting-row.js';
import { effectiveQuery, settingsQuery, type SettingData } from './settings-query.js';
import styles from './settings.module.css';

const SHAPE = { q: text(), only: oneOf(['changed', 'waiting', 'live']) };
const ONLY = [
  { value: 'changed', label: 'Changed from default' },
  { value: 'waiting', label: 'Waiting for a restart' },
  { value: 'live', label: 'Reload is enough' },
];

/** Every setting with its value, its default and where it comes from. */
export function Page() {
  const { role } = useViewer();
  if (role === 'VIEWER')
    return (
      <>
        <PageHeader title="Settings" />
        <EmptyState title="Operators and admins see this page">
          You are signed in as viewer. Ask an admin for a sign-in code with a higher role.
        </EmptyState>
      </>
    );
  return <Settings />;
}

function Settings() {
  const [{ q, only }, change] = useSearchParams(SHAPE);
  const query = useQuery(settingsQuery, { search: q === '' ? null : q }, { live: 'list' });
  return (
    <>
      <PageHeader
        title="Settings"
        description="The configuration this process runs with. It is changed in the file, not here."
        actions={<Actions />}
      />
      <FilterBar
        search={q}
        onSearch={(words) => change({ q: words })}
        placeholder="Name or words of a setting"
        groups={[
          {
            label: 'Show only',
            value: only,
            options: ONLY,
            onChange: (value) => change({ only: SHAPE.only.parse(value) }),
          },
        ]}
      />
      <QueryView query={query}>
        {({ settings }) => <Groups settings={settings.filter((setting) => isShown(setting, only))} />}
      </QueryView>
    </>
  );
}

function isShown(setting: SettingData, only: 'changed' | 'waiting' | 'live' | null): boolean {
  if (only === 'changed') return setting.source !== 'DEFAULT';
  if (only === 'waiting') return setting.isWaiting;
  return only === 'live' ? !setting.restartNeeded : true;
}

function Actions() {
  const { basePath } = useBackend();
  const can = useCan();
  const tell = useTell();
  const { check, isBusy } = useCheckSettings();
  const [report, setReport] = useState<ReloadReport | null>(null);
  const copy = async () => {
    try {
      const { effectiveSettings } = await send(basePath, effectiveQuery, { variables: {} });
      await navigator.clipboard.writeText(effectiveSettings);
      tell('Copied the effective configuration, secrets left out');
    } catch (error) {
      tell(toRequestError(error).message, { failed: true });
    }
  };
  return (
    <>
      <Button component={Link} href="/access?tab=audit&action=reloadSettings">
        History
      </Button>
      <Button onClick={() => void copy()}>Copy as YAML</Button>
      {can('reloadSettings') && (
        <Button variant="filled" loading={isBusy} onClick={() => void check().then(setReport)}>
          Check and reload…
        </Button>
      )}
      <ReloadDialog report={report} onClose={() => setReport(null)} />
    </>
  );
}

/** Settings by their group; those at top level come first. */
function Groups({ settings }: { settings: readonly SettingData[] }) {
  if (settings.length === 0)
    return <EmptyState title="No setting matches">Take a filter or a word away.</EmptyState>;
  const groups = new Map<string, SettingData[]>();
  for (const setting of settings) {
    const name = setting.path.includes('.') ? setting.path.slice(0, setting.path.indexOf('.')) : 'General';
    groups.set(name, [...(groups.get(name) ?? []), setting]);
  }
  const sorted = [...groups].sort(([a], [b]) => Number(b === 'General') - Number(a === 'General'));
  return (
    <div className={styles.stack}>
      {sorted.map(([name, members]) => (
        <Panel key={name} title={name} flush>
          <ul>
            {members.map((setting) => (
              <SettingRow key={setting.path} setting={setting} />
            ))}
          </ul>
        </Panel>
      ))}
    </div>
  );
}
