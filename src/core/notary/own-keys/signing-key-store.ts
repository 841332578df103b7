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
        const columns = {
          ...row,
          firstSeenTs: BigInt(row.firstSeenTs),
          retiredTs: row.retiredTs === null ? null : BigInt(row.retiredTs),
        };
        await tx.signingKey.upsert({ where: { keyId: row.keyId }, create: columns, update: columns });
      }
    });
  }

  /** Names under which a record of our own was ever published. */
  async ownNames(): Promise<string[]> {
    const rows = await this.database.client.ownRecord.findMany({ select: { serverName: true } });
    return rows.map(({ serverName }) => serverName);
  }

  /** When the record we publish was made, POSIX ms, by a clock that may have been right; `null` when there is none. */
  async signedTs(serverName: string): Promise<number | null> {
    return (await this.findOwnRecord(serverName))?.createdTs ?? null;
  }

  /** Until when peers may hold a record of ours that lists other keys, POSIX ms; `null` when there never was one. */
  async formerUntilTs(serverName: string): Promise<number | null> {
    const row = await this.database.client.ownRecord.findFirst({ where: { serverName } });
    return row === null || row.formerUntilTs === null ? null : Number(row.formerUntilTs);
  }

  /** Our own record as last made, or `null`. */
  async findOwnRecord(serverName: string): Promise<StoredOwnRecord | null> {
    const row = await this.database.client.ownRecord.findFirst({ where: { serverName } });
    if (row === null) return null;
    return {
      published: Buffer.from(row.published),
      createdTs: Number(row.createdTs),
      validUntilTs: Number(row.validUntilTs),
      keySet: row.keySet,
    };
  }

  /** Stores it; the record it takes the place of stays with peers for its time. */
  async saveOwnRecord(serverName: string, record: StoredOwnRecord): Promise<void> {
    const columns = columnsOf(record);
    await this.database.client.$transaction(async (tx) => {
      const before = await tx.ownRecord.findFirst({ where: { serverName }, omit: { published: true } });
      await tx.ownRecord.upsert({
        where: { serverName },
        create: { serverName, ...columns },
        update: { ...columns, formerUntilTs: formerUntilTs(before, record) },
      });
    });
  }

  /** Stores the first record of some keys, and gives what is stored: another instance may have been first. */
  async keepOwnRecord(serverName: string, record: StoredOwnRecord): Promise<StoredOwnRecord> {
    const { ownRecord } = this.database.client;
    const columns = columnsOf(record);
    const before = await ownRecord.findFirst({ where: { serverName }, omit: { published: true } });
    if (before === null) {
      await createOnce(() => ownRecord.create({ data: { serverName, ...columns } }));
    } else if (before.keySet !== record.keySet) {
      const data = { ...columns, formerUntilTs: formerUntilTs(before, record) };
      await ownRecord.updateMany({ where: { serverName, keySet: before.keySet }, data });
    }
    const stored = await this.findOwnRecord(serverName);
    return stored?.keySet === record.keySet ? stored : record;
  }
}

/** How long peers may have earlier records. */
function formerUntilTs(
  before: { keySet: string; validUntilTs: bigint; formerUntilTs: bigint | null } | null,
  record: StoredOwnRecord,
): bigint | null {
  if (before === null) return null;
  const { keySet, validUntilTs, formerUntilTs: former } = before;
  if (keySet === record.keySet) return former;
  return former === null || former < validUntilTs ? validUntilTs : former;
}

function columnsOf({ published, createdTs, validUntilTs, keySet }: StoredOwnRecord) {
  return {
    published: new Uint8Array(published),
    createdTs: BigInt(createdTs),
    validUntilTs: BigInt(validUntilTs),
    keySet,
  };
}
