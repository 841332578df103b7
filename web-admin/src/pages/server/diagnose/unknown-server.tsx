import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { LookUp } from '../../keys/look-up.js';
import { DiagnoseTab } from './diagnose-tab.js';
import { brokenNameRule } from './server-name-rule.js';

/** A name of which nothing is stored: says which rule it breaks, or diagnoses it at once. */
export function UnknownServer({ name }: { name: string }) {
  const broken = brokenNameRule(name);
  if (broken === null) return <DiagnoseTab name={name} />;
  return (
    <Panel>
      <EmptyState title="This is not a server name">
        {broken}
        <LookUp />
      </EmptyState>
    </Panel>
  );
}
