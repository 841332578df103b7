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
    return rows.map((row) => ({
      keyId: row.keyId,
      publicKey: row.publicKey,
      state: row.state === 'active' ? 'active' : 'retired',
      firstSeenTs: Number(row.firstSeenTs),
      retiredTs: row.retiredTs === null ? null : Number(row.retiredTs),
    }));
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

  /** Until when peers may hold a record of ours that lists other keys, POSIX ms; `null` when there never was one. */
  async formerUntilTs(serverName: string): Promise<number | null> {
    const row = await this.database.client.ownRecord.findUnique({
      where: { serverName },
      select: { formerUntilTs: true },
    });
    return row?.formerUntilTs === null || row === null ? null : Number(row.formerUntilTs);
  }

  /** Our own record as last made, or `null`. */
  async findOwnRecord(serverName: string): Promise<StoredOwnRecord | null> {
    const row = await this.database.client.ownRecord.findUnique({ where: { serverName } });
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
    const columns = {
      published: new Uint8Array(record.published),
      createdTs: BigInt(record.createdTs),
      validUntilTs: BigInt(record.validUntilTs),
      keySet: record.keySet,
    };
    await this.database.client.$transaction(async (tx) => {
      const before = await tx.ownRecord.findUnique({ where: { serverName }, omit: { published: true } });
      const isOther = before !== null && before.keySet !== record.keySet;
      const formerUntilTs = isOther
        ? latest(before.formerUntilTs, before.validUntilTs)
        : before?.formerUntilTs;
      await tx.ownRecord.upsert({
        where: { serverName },
        create: { serverName, ...columns },
        update: { ...columns, formerUntilTs: formerUntilTs ?? null },
      });
    });
  }
}

function latest(ts: bigint | null, otherTs: bigint): bigint {
  return ts === null || ts < otherTs ? otherTs : ts;
}
