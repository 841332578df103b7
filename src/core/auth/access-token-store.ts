import { createHash, randomBytes } from 'node:crypto';

import { HOUR_MS } from '../clock.js';
import type { Clock } from '../clock.js';
import type { Database } from '../db/db.js';
import type { Logger } from '../logger.js';

/** An access token as the store knows it; the token itself is shown once, when it is made. */
export interface AccessTokenInfo {
  id: string;
  /** `null` for tokens that ask for no previews. */
  userId: string | null;
  scopes: readonly TokenScope[];
  label: string;
  createdTs: number;
  /** `null`: does not expire. */
  expiresTs: number | null;
  /** To the hour; `null`: never used. */
  lastUsedTs: number | null;
  revokedTs: number | null;
}

/** What a token may be used for. */
export type TokenScope = 'preview' | 'admin_read' | 'admin_write' | 'metrics';

const TOKEN_PREFIX = 'vid_';

/** SHA-256 (hex) of a token; the only form in which tokens are kept and compared. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Access tokens of users, made by operators. */
export class AccessTokenStore {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly logger: Logger | null = null,
  ) {}

  /** Makes a token. `token` is its only appearance in the clear. */
  async create(owner: {
    userId: string;
    label: string;
    expiresTs: number | null;
  }): Promise<{ token: string; info: AccessTokenInfo }> {
    const token = TOKEN_PREFIX + randomBytes(24).toString('base64url');
    const row = await this.database.client.accessToken.create({
      data: {
        id: randomBytes(6).toString('hex'),
        tokenSha256: hashToken(token),
        userId: owner.userId,
        label: owner.label,
        createdTs: BigInt(this.clock.now()),
        expiresTs: owner.expiresTs === null ? null : BigInt(owner.expiresTs),
      },
    });
    return { token, info: toInfo(row) };
  }

  /** The token's row, or `null` when it is unknown, expired or revoked. */
  async findValid(token: string): Promise<AccessTokenInfo | null> {
    const row = await this.database.client.accessToken.findUnique({
      where: { tokenSha256: hashToken(token) },
    });
    if (row === null || row.revokedTs !== null) return null;
    return row.expiresTs !== null && row.expiresTs <= BigInt(this.clock.now()) ? null : toInfo(row);
  }

  /** Notes that a token was used, at most once an hour. Never rejects: failures are logged. */
  async noteUse({ id, lastUsedTs }: AccessTokenInfo): Promise<void> {
    const nowTs = this.clock.now();
    if (lastUsedTs !== null && nowTs - lastUsedTs < HOUR_MS) return;
    try {
      await this.database.client.accessToken.updateMany({
        where: { id },
        data: { lastUsedTs: BigInt(nowTs) },
      });
    } catch (error) {
      this.logger?.warn({ err: error, token_id: id }, 'the use of an access token was not noted');
    }
  }

  /** All tokens, newest first. */
  async list(): Promise<AccessTokenInfo[]> {
    const rows = await this.database.client.accessToken.findMany({
      orderBy: [{ createdTs: 'desc' }, { id: 'asc' }],
    });
    return rows.map(toInfo);
  }

  /** Revokes a token by its id; `false` when there is none that could still be used. */
  async revoke(id: string): Promise<boolean> {
    const { count } = await this.database.client.accessToken.updateMany({
      where: { id, revokedTs: null },
      data: { revokedTs: BigInt(this.clock.now()) },
    });
    return count > 0;
  }
}

interface AccessTokenRow {
  id: string;
  scopes: string;
  userId: string | null;
  label: string;
  createdTs: bigint;
  expiresTs: bigint | null;
  lastUsedTs: bigint | null;
  revokedTs: bigint | null;
}

function toInfo(row: AccessTokenRow): AccessTokenInfo {
  return {
    id: row.id,
    userId: row.userId,
    scopes: row.scopes.split(',') as TokenScope[],
    label: row.label,
    createdTs: Number(row.createdTs),
    expiresTs: row.expiresTs === null ? null : Number(row.expiresTs),
    lastUsedTs: row.lastUsedTs === null ? null : Number(row.lastUsedTs),
    revokedTs: row.revokedTs === null ? null : Number(row.revokedTs),
  };
}
