import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';

import { useBackend } from '../../api/backend-context.js';
import styles from './audit.module.css';

/** The whole table as a file. Both are downloads the browser does by itself; the export is audited, too. */
export function Exports() {
  const { basePath } = useBackend();
  const address = (format: string) => `${basePath}/api/audit/export?format=${format}`;
  return (
    <div className={styles.exports}>
      <Button component="a" href={address('csv')} download leftSection={<IconDownload size={15} />}>
        CSV
      </Button>
      <Button component="a" href={address('jsonl')} download leftSection={<IconDownload size={15} />}>
        JSON lines
      </Button>
    </div>
  );
}
