import { plainRow } from '../../store/plain-row.js';
import { createOnce } from '../../store/store-errors.js';
import type { Database } from '../../store/db.js';

/** A key this service signs or has signed with; a row of signing_key. */
export interface SigningKeyRow {
  keyId: string;
  /** Unpadded base64. */
  publicKey: string;
  state: 'active' | 'retired';
  firstSeenTs: number;
  retiredTs: number | null;
}

/** The record we publish about ourselves, as last made. */
export interface StoredOwnRecord {
  published: Buffer;
  createdTs: number;
  validUntilTs: number;
  /** Fingerprint of the keys it was made from. */
  keySet: string;
}

/** Our own keys and record. Private parts never get here. */
export class SigningKeyStore {
  constructor(private readonly database: Database) {}

  /** Every key ever used, oldest first. */
  async list(): Promise<SigningKeyRow[]> {
    const rows = await this.database.client.signingKey.findMany({ orderBy: { firstSeenTs: 'asc' } });
    return rows.map((row) => ({ ...plainRow(row), state: row.state === 'active' ? 'active' : 'retired' }));
  }

  /** Stores the given rows, new and changed, in one transaction. */
  async save(rows: readonly SigningKeyRow[]): Promise<void> {
    await this.database.client.$transaction(async (tx) => {
      for (const row of rows) {
        await tx.signingKey.upsert({ where: { keyId: row.keyId }, create: row, update: row });
      }
    });
  }

  /** Names under which a record of our own was ever published. */
  async ownNames(): Promise<string[]> {
    const rows = await this.database.client.ownRecord.findMany({ select: { serverName: true } });
    return rows.map(({ serverName }) => serverName);
  }

  /**
   * Our own record as last made, or `null`. `formerUntilTs`: until when peers may hold one that lists other keys; `null`
   * when there never was one.
   */
  async findOwnRecord(serverName: string) {
    const row = await this.database.client.ownRecord.findFirst({ where: { serverName } });
    return row && { ...plainRow(row), published: Buffer.from(row.published) };
  }

  /** Stores it; the record it takes the place of stays with peers for its time. */
  async saveOwnRecord(serverName: string, record: StoredOwnRecord): Promise<void> {
    await this.database.client.$transaction(async (tx) => {
      const where = { serverName };
      const before = await tx.ownRecord.findFirst({ where });
      const update = columnsOf(record, before);
      await tx.ownRecord.upsert({ where, create: { serverName, ...update }, update });
    });
  }

  /** Stores the first record of some keys, and gives what is stored: another instance may have been first. */
  async keepOwnRecord(serverName: string, record: StoredOwnRecord): Promise<StoredOwnRecord> {
    const { ownRecord } = this.database.client;
    const before = await ownRecord.findFirst({ where: { serverName } });
    const data = columnsOf(record, before);
    if (before === null) {
      await createOnce(() => ownRecord.create({ data: { serverName, ...data } }));
    } else if (before.keySet !== record.keySet) {
      await ownRecord.updateMany({ where: { serverName, keySet: before.keySet }, data });
    }
    const stored = await this.findOwnRecord(serverName);
    return stored?.keySet === record.keySet ? stored : record;
  }
}

/** With how long peers may have earlier records. */
function columnsOf(
  { published, createdTs, validUntilTs, keySet }: StoredOwnRecord,
  before: { keySet: string; validUntilTs: bigint; formerUntilTs: bigint | null } | null,
) {
  let formerUntilTs = before?.formerUntilTs ?? null;
  if (before !== null && before.keySet !== keySet && (formerUntilTs ?? 0n) < before.validUntilTs)
    formerUntilTs = before.validUntilTs;
  return { published: new Uint8Array(published), createdTs, validUntilTs, keySet, formerUntilTs };
}
