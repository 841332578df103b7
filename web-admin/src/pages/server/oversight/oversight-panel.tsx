import { Button } from '@mantine/core';
import { useState } from 'react';

import { useQuery } from '../../../api/use-query.js';
import { useCan } from '../../../session/viewer-context.js';
import { Fields } from '../../../ui/page/fields.js';
import { Panel } from '../../../ui/page/panel.js';
import { QueryView } from '../../../ui/state/query-view.js';
import { RemoveDialog, type Removal } from '../../watches/remove-dialog.js';
import { WatchDialog } from '../../watches/watch-dialog.js';
import { CrossChecks, PinState, Watches } from './oversight-states.js';
import { serverOversightQuery, type OversightData } from './oversight-query.js';
import { PinDialog } from './pin-dialog.js';
import styles from './oversight.module.css';

type Opened = 'watch' | 'pin' | null;

/** Who is told of this server's keys, which are pinned, and what other notaries say. */
export function OversightPanel({ name }: { name: string }) {
  const query = useQuery(serverOversightQuery, { name }, { live: 'list' });
  const [opened, setOpened] = useState<Opened>(null);
  const [removal, setRemoval] = useState<Removal | null>(null);
  const close = () => setOpened(null);
  return (
    <div className={styles.panel}>
      <QueryView query={query}>
        {({ serverOversight: found, webhooks }) => (
          <Panel
            title="Watch, pin and other notaries"
            actions={
              <Actions
                name={name}
                found={found}
                hasWebhooks={webhooks.length > 0}
                onOpen={setOpened}
                onRemove={setRemoval}
              />
            }
          >
            <Fields
              items={[
                ['Watch', <Watches key="watch" watches={found.watches} />],
                ['Pin', <PinState key="pin" pin={found.pin} wrong={found.contradictingKeyIds} />],
                ['Other notaries', <CrossChecks key="notaries" checks={found.crossChecks} />],
              ]}
            />
            <WatchDialog name={name} webhooks={webhooks} opened={opened === 'watch'} onClose={close} />
            <PinDialog name={name} keys={found.keys} opened={opened === 'pin'} onClose={close} />
            <RemoveDialog removal={removal} onClose={() => setRemoval(null)} />
          </Panel>
        )}
      </QueryView>
    </div>
  );
}

interface ActionsProps {
  name: string;
  found: OversightData;
  hasWebhooks: boolean;
  onOpen: (opened: Opened) => void;
  onRemove: (removal: Removal) => void;
}

/** What stands in the configuration is changed there. */
function Actions({ name, found, hasWebhooks, onOpen, onRemove }: ActionsProps) {
  const can = useCan();
  const own = found.watches.find((watch) => watch.name === name) ?? null;
  const { pin, keys } = found;
  return (
    <span className={styles.actions}>
      {can('setWatch') && own === null && hasWebhooks && (
        <Button onClick={() => onOpen('watch')}>Watch…</Button>
      )}
      {can('removeWatch') && own !== null && own.createdBy !== null && (
        <Button onClick={() => onRemove(own)}>Stop watching…</Button>
      )}
      {can('setPin') && pin?.createdBy !== null && keys.length > 0 && (
        <Button onClick={() => onOpen('pin')}>{pin === null ? 'Pin its keys…' : 'Pin anew…'}</Button>
      )}
      {can('removePin') && pin !== null && pin.createdBy !== null && (
        <Button onClick={() => onRemove(pin)}>Remove pin…</Button>
      )}
    </span>
  );
}
