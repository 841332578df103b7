import type { Database } from '../../store/db.js';
import { newestFirst } from '../../store/lists/keyset-cursor.js';
import { RecordList } from '../../store/lists/record-list.js';
import { sql } from '../../store/sql/sql.js';
import type { Channel, DeliveryRow, OutboxState, OutboxStore } from './outbox/outbox-store.js';

/** Which deliveries; `null`: whatever. */
export interface DeliveryFilter {
  channel: Channel | null;
  state: OutboxState | null;
  destination: string | null;
  /** Server name, or line of the health list. */
  subject: string | null;
}

/** What was sent, waits or was given up, newest first. */
export function createDeliveryList(
  database: Database,
  outbox: OutboxStore,
): RecordList<DeliveryFilter, number, DeliveryRow> {
  return new RecordList<DeliveryFilter, number, DeliveryRow>(database, {
    listing: ({ channel, state, destination, subject }) => ({
      ...newestFirst('outbox', 'id'),
      columns: ['channel', 'state', 'destination', 'subject'],
      indexed: [],
      residual: [
        ...(channel === null ? [] : [sql`channel = ${channel}`]),
        ...(state === null ? [] : [sql`state = ${state}`]),
        ...(destination === null ? [] : [sql`destination = ${destination}`]),
        ...(subject === null ? [] : [sql`subject = ${subject}`]),
      ],
    }),
    readKey: Number,
    find: (ids) => outbox.findRows(ids),
    keyOf: ({ id }) => id,
  });
}
