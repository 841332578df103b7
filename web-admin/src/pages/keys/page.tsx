import { Button } from '@mantine/core';
import { Link } from 'wouter';

import { PageHeader } from '../../ui/page/page-header.js';
import { FailureGroups } from './failure-groups.js';
import { KeysFilters } from './filters.js';
import { useKeysView } from './keys-view.js';
import { ServersTable } from './servers-table.js';

/** Every server whose keys are stored, with the worst state of its records and how the last fetch went. */
export function Page() {
  const view = useKeysView();
  return (
    <>
      <PageHeader
        title="Keys"
        description="Signing keys of other servers, as peers asked for them."
        actions={
          <>
            <Button component={Link} href="/events">
              Key events
            </Button>
            <Button component={Link} href="/keys/own">
              Our signing keys
            </Button>
          </>
        }
      />
      <FailureGroups />
      <KeysFilters view={view} />
      <ServersTable view={view} />
    </>
  );
}
