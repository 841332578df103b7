import { KEY_CHANGES } from '../../notary/keys/key-changes.js';
import type { AppendedEvent, KeyEventBatch } from '../../notary/keys/key-event-store.js';
import type { OtherNotary, Watch } from '../../notary/oversight/rule-schemas.js';
import { eventSentence } from '../keys/event-sentences.js';
import type { OutboxDraft } from './outbox/outbox-store.js';
import type { Webhook } from './outbox/webhook-carrier.js';

/** Who is told and asked. */
export interface Told {
  watchesOf(serverName: string): readonly Watch[];
  webhooks: readonly Webhook[];
  notaries: readonly OtherNotary[];
  /** Our own name. */
  ownName: string;
  nowTs: number;
}

/** What key events lead to: something for each watch and webhook, and a question to each notary after a change. */
export function draftsOf(batches: readonly KeyEventBatch<AppendedEvent>[], told: Told): OutboxDraft[] {
  return batches.flatMap((batch) => [
    ...batch.events.flatMap((event) => noticesOf(event, batch, told)),
    ...questionsOf(batch, told),
  ]);
}

type Destination = Pick<OutboxDraft, 'channel' | 'destination'>;

function noticesOf(event: AppendedEvent, { serverName, ts }: KeyEventBatch, told: Told): OutboxDraft[] {
  const destinations = destinationsOf(event, told.watchesOf(serverName), told.webhooks);
  if (destinations.length === 0) return [];
  const { kind, severity, keyId, detail, alarm } = event;
  const payload = JSON.stringify({
    type: 'key_event',
    notary: told.ownName,
    ts,
    server_name: serverName,
    kind,
    severity,
    alarm,
    key_id: keyId,
    message: eventSentence(event),
    detail,
  });
  return destinations.map((destination) => ({
    ...destination,
    subject: serverName,
    kind,
    payload,
    createdTs: told.nowTs,
  }));
}

function destinationsOf(
  { alarm }: AppendedEvent,
  watches: readonly Watch[],
  webhooks: readonly Webhook[],
): Destination[] {
  const hooks = new Set(watches.flatMap(({ webhook }) => webhook ?? []));
  if (alarm) for (const { name, tells } of webhooks) if (tells.includes('alarms')) hooks.add(name);
  const commands = watches.filter(({ command }) => command !== undefined);
  return [
    ...[...hooks].map((destination): Destination => ({ channel: 'webhook', destination })),
    ...commands.map((watch): Destination => ({ channel: 'command', destination: watch.server_name })),
  ];
}

/** One question, however much has changed; a notary is not asked about itself. */
function questionsOf({ serverName, events }: KeyEventBatch, { notaries, nowTs }: Told): OutboxDraft[] {
  const hasChanged = events.some(({ kind }) => kind === 'server_first_seen' || KEY_CHANGES.has(kind));
  if (!hasChanged) return [];
  return notaries
    .filter(({ server_name }) => server_name !== serverName)
    .map(({ server_name: destination }) => ({
      channel: 'notary',
      destination,
      subject: serverName,
      kind: 'cross_check',
      payload: '{}',
      createdTs: nowTs,
    }));
}
