import { Button } from '@mantine/core';
import { useState } from 'react';

import { useChange } from '../../api/use-change.js';
import { useCan } from '../../session/viewer-context.js';
import { useAttempt } from '../../ui/dialog/use-attempt.js';
import { useTell } from '../../ui/dialog/use-tell.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { testWebhookMutation, type WebhookData } from './watches-query.js';
import styles from './watches.module.css';

const TELLS: Readonly<Record<string, string>> = { alarms: 'alarms', health: 'health that turns red' };

/** Addresses of the configuration, each with a button that sends something now. */
export function Webhooks({ webhooks }: { webhooks: readonly WebhookData[] }) {
  return (
    <Panel title="Webhooks" note="alerts.webhooks of the configuration">
      {webhooks.length === 0 ? (
        <EmptyState title="No webhooks" isSmall>
          Nobody hears of alarms and of failing health but who looks here. Add one to alerts.webhooks; a
          reload brings it.
        </EmptyState>
      ) : (
        <ul className={styles.hooks}>
          {webhooks.map((webhook) => (
            <Webhook key={webhook.name} webhook={webhook} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Webhook({ webhook: { name, host, tells } }: { webhook: WebhookData }) {
  const can = useCan();
  const { test, isBusy } = useTest(name);
  const told = ['watches that name it', ...tells.map((word) => TELLS[word] ?? word)];
  return (
    <li>
      <span className={styles.words}>
        <strong>{name}</strong> <span className={styles.host}>{host}</span>
        <span className={styles.small}>is told of {told.join(', ')}</span>
      </span>
      {can('testWebhook') && (
        <Button onClick={() => void test()} loading={isBusy} aria-label={`Send a test to ${name}`}>
          Send a test
        </Button>
      )}
    </li>
  );
}

function useTest(name: string): { test: () => Promise<void>; isBusy: boolean } {
  const { mutateAsync } = useChange(testWebhookMutation);
  const attempt = useAttempt();
  const tell = useTell();
  const [isBusy, setBusy] = useState(false);
  const test = async () => {
    setBusy(true);
    const payload = await attempt(async () => (await mutateAsync({ input: { name } })).testWebhook);
    setBusy(false);
    const delivery = payload?.delivery ?? null;
    if (delivery === null) return;
    const isDone = delivery.state === 'DONE';
    tell(`${isDone ? 'It arrived' : 'It did not arrive'}. ${delivery.message ?? ''}`, { failed: !isDone });
  };
  return { test, isBusy };
}
