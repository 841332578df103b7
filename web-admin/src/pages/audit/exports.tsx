import { Button } from '@mantine/core';
import { Icon } from '../../ui/icons.js';

import { useBackend } from '../../api/backend-context.js';
import { filterOf, operationOf, type AuditView } from './audit-view.js';
import styles from './audit.module.css';

/** What the list shows as a file. Both are downloads the browser does by itself; the export is audited, too. */
export function Exports({ view }: { view: AuditView }) {
  const { basePath } = useBackend();
  const { changesOnly, outcome, action, ...filter } = filterOf(view);
  // The route takes values as rows have them, not the API's names.
  const wanted = {
    ...filter,
    action: operationOf(action ?? ''),
    outcome: outcome?.toLowerCase(),
    changes_only: String(changesOnly === true),
  };
  const address = (format: string): string => {
    const query = new URLSearchParams({ format });
    for (const [name, value] of Object.entries(wanted)) if (value) query.set(name, value);
    return `${basePath}/api/audit/export?${query.toString()}`;
  };
  return (
    <div className={styles.exports}>
      <Button component="a" href={address('csv')} download leftSection={<Icon name="download" size={15} />}>
        CSV
      </Button>
      <Button component="a" href={address('jsonl')} download leftSection={<Icon name="download" size={15} />}>
        JSON lines
      </Button>
    </div>
  );
}
