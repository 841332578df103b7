import { hash, randomBytes } from 'node:crypto';

import { isOneOf } from '../../base/json/is-record.js';
import { HOUR_MS } from '../../base/clock.js';
import type { Clock } from '../../base/clock.js';
import type { Database } from '../../store/db.js';
import { countRows, findPage } from '../../store/lists/keyset-page.js';
import type { CappedCount, Page, PageRequest } from '../../store/lists/keyset-page.js';
import type { KeysetListing } from '../../store/lists/keyset-walk.js';
import { rawSql } from '../../store/sql/sql.js';
import type { Logger } from '../../base/logger.js';
import { storableText } from '../../base/text/storable-text.js';

/** An access token as the store knows it; the token itself is shown once, when it is made. */
export interface AccessTokenInfo {
  id: string;
  /** `null` for tokens that ask for no previews. */
  userId: string | null;
  scopes: readonly TokenScope[];
  label: string;
  /** Its first characters, to recognise it by. */
  hint: string;
  /** Who made it: an operator's name, or `cli`. */
  createdBy: string;
  createdTs: number;
  /** `null`: does not expire. */
  expiresTs: number | null;
  /** To the hour; `null`: never used. */
  lastUsedTs: number | null;
  revokedTs: number | null;
}

/** What a token may be used for. */
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** Every scope, in the order they are shown in. */
export const TOKEN_SCOPES = ['preview', 'admin_read', 'admin_write', 'metrics'] as const;

/** A token to be made. */
export interface NewAccessToken {
  /** Whose previews it asks for; needed with the scope preview, `null` without it. */
  userId: string | null;
  label: string;
  /** `null`: does not expire. */
  expiresTs: number | null;
  /** `preview` alone when absent. */
  scopes?: readonly TokenScope[];
  /** `cli` when absent. */
  createdBy?: string;
}

const TOKEN_PREFIX = 'vid_';
/** Beyond the prefix four characters: enough to tell tokens apart, of no use to a guesser. */
const HINT_LENGTH = 8;

/** SHA-256 (hex) of a token; the only form in which tokens are kept and compared. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

/** Access tokens of users and of operators' scripts. */
export class AccessTokenStore {
  #revoked: () => void = () => {};

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly logger: Logger | null = null,
  ) {}

  /** Makes a token. `token` is its only appearance in the clear. */
  async create(wanted: NewAccessToken): Promise<{ token: string; info: AccessTokenInfo }> {
    const { userId, label, expiresTs, scopes = ['preview'], createdBy = 'cli' } = wanted;
    const token = TOKEN_PREFIX + randomBytes(24).toString('base64url');
    const row = await this.database.client.accessToken.create({
      data: {
        id: randomBytes(6).toString('hex'),
        tokenSha256: hashToken(token),
        userId,
        label: storableText(label),
        scopes: TOKEN_SCOPES.filter((scope) => scopes.includes(scope)).join(','),
        hint: token.slice(0, HINT_LENGTH),
        createdBy: storableText(createdBy),
        createdTs: BigInt(this.clock.now()),
        expiresTs: expiresTs === null ? null : BigInt(expiresTs),
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

  /** The token of an id, whatever its state; `null` when there is none. */
  async find(id: string): Promise<AccessTokenInfo | null> {
    const row = await this.database.client.accessToken.findUnique({ where: { id } });
    return row === null ? null : toInfo(row);
  }

  /** All tokens, newest first. */
  async list(): Promise<AccessTokenInfo[]> {
    const rows = await this.database.client.accessToken.findMany({
      orderBy: [{ createdTs: 'desc' }, { id: 'desc' }],
    });
    return rows.map(toInfo);
  }

  /** A page of tokens, newest first, expired ones included. Throws 400 for a cursor of another list. */
  async page(request: PageRequest, includeRevoked: boolean): Promise<Page<AccessTokenInfo>> {
    const page = await findPage<RawRow>(this.database, listingOf(includeRevoked), request);
    return { ...page, rows: page.rows.map(({ cursor, row }) => ({ cursor, row: toInfo(fromRaw(row)) })) };
  }

  /** How many tokens there are, as far as that is cheap to say. */
  count(includeRevoked: boolean): Promise<CappedCount> {
    return countRows(this.database, listingOf(includeRevoked));
  }

  /** Tokens by their ids, in no particular order. */
  async findMany(ids: readonly string[]): Promise<AccessTokenInfo[]> {
    const rows = await this.database.client.accessToken.findMany({ where: { id: { in: [...ids] } } });
    return rows.map(toInfo);
  }

  /** Whether somebody holds a token that opens the operators' side. */
  async hasAdmin(): Promise<boolean> {
    const row = await this.database.client.accessToken.findFirst({
      where: {
        scopes: { contains: 'admin_' },
        revokedTs: null,
        OR: [{ expiresTs: null }, { expiresTs: { gt: BigInt(this.clock.now()) } }],
      },
      select: { id: true },
    });
    return row !== null;
  }

  /** Calls `listener` after each revocation by this process, before `revoke` resolves; replaces an earlier one. */
  onRevoked(listener: () => void): void {
    this.#revoked = listener;
  }

  /** Revokes a token by its id; `false` when there is none that could still be used. */
  async revoke(id: string): Promise<boolean> {
    const { count } = await this.database.client.accessToken.updateMany({
      where: { id, revokedTs: null },
      data: { revokedTs: BigInt(this.clock.now()) },
    });
    this.#revoked();
    return count > 0;
  }
}

function listingOf(includeRevoked: boolean): KeysetListing {
  return {
    table: 'access_token',
    columns: RAW_COLUMNS,
    sort: { column: 'created_ts', kind: 'integer', nullable: false, direction: 'desc' },
    key: { column: 'id', kind: 'text' },
    indexed: [],
    residual: includeRevoked ? [] : [rawSql('revoked_ts IS NULL')],
  };
}

const RAW_COLUMNS = [
  'id',
  'user_id',
  'scopes',
  'label',
  'hint',
  'created_by',
  'created_ts',
  'expires_ts',
  'last_used_ts',
  'revoked_ts',
] as const;

/** As plain SQL gives it. */
type RawRow = Record<(typeof RAW_COLUMNS)[number], string | number | bigint | null>;

function fromRaw(row: RawRow): AccessTokenRow {
  const tsOf = (value: RawRow['id']) => (value === null ? null : BigInt(value));
  return {
    id: String(row.id),
    userId: row.user_id === null ? null : String(row.user_id),
    scopes: String(row.scopes),
    label: String(row.label),
    hint: String(row.hint),
    createdBy: String(row.created_by),
    createdTs: tsOf(row.created_ts) ?? 0n,
    expiresTs: tsOf(row.expires_ts),
    lastUsedTs: tsOf(row.last_used_ts),
    revokedTs: tsOf(row.revoked_ts),
  };
}

interface AccessTokenRow {
  id: string;
  scopes: string;
  userId: string | null;
  label: string;
  hint: string;
  createdBy: string;
  createdTs: bigint;
  expiresTs: bigint | null;
  lastUsedTs: bigint | null;
  revokedTs: bigint | null;
}

function toInfo(row: AccessTokenRow): AccessTokenInfo {
  return {
    id: row.id,
    userId: row.userId,
    scopes: row.scopes.split(',').filter((scope) => isOneOf(TOKEN_SCOPES, scope)),
    label: row.label,
    hint: row.hint,
    createdBy: row.createdBy,
    createdTs: Number(row.createdTs),
    expiresTs: row.expiresTs === null ? null : Number(row.expiresTs),
    lastUsedTs: row.lastUsedTs === null ? null : Number(row.lastUsedTs),
    revokedTs: row.revokedTs === null ? null : Number(row.revokedTs),
  };
}
