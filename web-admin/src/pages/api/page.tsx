import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { Link } from 'wouter';

import { useBackend } from '../../api/backend-context.js';
import schemaAddress from '../../../schema.graphql?url';
import { useCommand } from '../../session/viewer-context.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { Snippet } from '../../ui/text/snippet.js';
import { Examples } from './examples-panel.js';
import styles from './api.module.css';

/** How to do from a script what these pages do; works offline. */
export function Page() {
  const { basePath } = useBackend();
  const address = `${window.location.origin}${basePath}/api/graphql`;
  return (
    <>
      <PageHeader
        title="API"
        description="Everything on these pages is one GraphQL address, and every operation is a command, too."
        actions={
          <>
            <Button component={Link} href="/explorer" variant="filled">
              Open the explorer
            </Button>
            <Button
              component="a"
              href={schemaAddress}
              download="vidimus.graphql"
              leftSection={<IconDownload size={15} stroke={1.75} />}
            >
              Download schema
            </Button>
          </>
        }
      />
      <div className={styles.parts}>
        <AddressAndToken address={address} />
        <Examples address={address} />
      </div>
    </>
  );
}

function AddressAndToken({ address }: { address: string }) {
  const command = useCommand();
  return (
    <Panel title="Address and token">
      <div className={styles.stack}>
        <p className={styles.quiet}>
          POST JSON with a bearer token that has an admin scope. Tokens are made under{' '}
          <Link href="/access">Access</Link> or with <code>{command('token create')}</code>; a session of
          these pages may send operations by hand where admin.graphql.ad_hoc says so.
        </p>
        <Snippet text={address} what="address" />
        <p className={styles.quiet}>
          On this machine no token is needed: <code>{command("api '{ viewer { name role } }'")}</code>.
        </p>
        <p className={styles.quiet}>
          Expected failures stand in userErrors of a mutation, all others in errors with a code and a
          requestId to look for in the log. Lists give at most 100 rows at a time.
        </p>
      </div>
    </Panel>
  );
}
