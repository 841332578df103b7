import { plainRow, type PlainRow } from '../../store/plain-row.js';
import { hash, randomBytes } from 'node:crypto';

import { isOneOf } from '../../base/json/is-record.js';
import { HOUR_MS, type Clock } from '../../base/clock.js';
import type { AccessTokenRow, Database } from '../../store/db.js';
import { RecordList } from '../../store/lists/record-list.js';
import type { Logger } from '../../base/logger.js';
import { storableText } from '../../base/text/strings.js';
import { isUserId } from '../../notary/federation/server-name.js';

/** An access token as the store knows it; the token itself is shown once, when it is made. */
export interface AccessTokenInfo extends Omit<PlainRow<AccessTokenRow>, 'tokenSha256' | 'scopes'> {
  scopes: readonly TokenScope[];
}

/** What a token may be used for. */
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** Every scope, in the order they are shown in. */
export const TOKEN_SCOPES = ['preview', 'admin_read', 'admin_operate', 'admin_write', 'metrics'] as const;

/** A token to be made: for `preview` alone, by `cli`, unless it says otherwise. */
type NewAccessToken = Pick<AccessTokenInfo, 'userId' | 'label' | 'expiresTs'> &
  Partial<Pick<AccessTokenInfo, 'scopes' | 'createdBy'>>;

const TOKEN_PREFIX = 'vid_';
/** Beyond the prefix four characters: enough to tell tokens apart, of no use to a guesser. */
const HINT_LENGTH = 8;

/** SHA-256 (hex) of a token; the only form in which tokens are kept and compared. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

/** Access tokens of users and of operators' scripts. */
export class AccessTokenStore {
  /** Newest first, expired ones included. */
  readonly pages: RecordList<{ includeRevoked: boolean }, string, AccessTokenInfo>;
  #revoked: () => void | Promise<void> = () => {};

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly logger: Logger | null = null,
  ) {
    this.pages = new RecordList(database, {
      listing: ({ includeRevoked }) => ({
        ...NEWEST_FIRST,
        conditions: includeRevoked ? [] : [{ where: { revokedTs: null } }],
      }),
      find: (ids) => this.findMany(ids),
      keyOf: ({ id }) => id,
    });
  }

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
    const where = { tokenSha256: hashToken(token) };
    const row = await this.database.client.accessToken.findFirst({ where });
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
      this.logger?.warn({ err: error, token_id: id }, 'the use of an access token could not be recorded');
    }
  }

  /** Tokens by their ids, whatever their state, in no particular order. */
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
  onRevoked(listener: () => void | Promise<void>): void {
    this.#revoked = listener;
  }

  /** Revokes a token by its id; `false` when there is none that could still be used. */
  async revoke(id: string): Promise<boolean> {
    const { count } = await this.database.client.accessToken.updateMany({
      where: { id, revokedTs: null },
      data: { revokedTs: BigInt(this.clock.now()) },
    });
    await this.#revoked();
    return count > 0;
  }
}

const NEWEST_FIRST = {
  model: 'accessToken',
  sort: { name: 'createdTs', direction: 'desc' },
  key: { name: 'id', isText: true },
} as const;

function toInfo({ tokenSha256: _secret, ...row }: AccessTokenRow): AccessTokenInfo {
  const scopes = row.scopes.split(',').filter((scope) => isOneOf(TOKEN_SCOPES, scope));
  return { ...plainRow(row), scopes };
}

/** A token as an operator asks for it. */
export interface TokenRequest {
  label: string;
  scopes: readonly TokenScope[];
  userId: string | null;
  /** `null`: never ends. */
  expiresInDays: number | null;
}

/** What is wrong with a request, and with which of its members. */
export interface TokenError {
  member: keyof TokenRequest;
  message: string;
}

const MAX_LABEL_LENGTH = 100;
const MAX_DAYS = 3650;

/** The first thing that keeps a token from being made; `null` when it can be. */
export function checkNewToken({ label, scopes, userId, expiresInDays }: TokenRequest): TokenError | null {
  const error = (member: keyof TokenRequest, message: string): TokenError => ({ member, message });
  const isForPreviews = scopes.includes('preview');
  if (label.trim() === '' || label.length > MAX_LABEL_LENGTH)
    return error('label', `A name of 1 to ${MAX_LABEL_LENGTH} characters is needed`);
  if (scopes.length === 0) return error('scopes', 'At least one scope is needed');
  if (isForPreviews && userId === null)
    return error('userId', 'The scope preview needs the user whose previews it requests');
  if (!isForPreviews && userId !== null)
    return error('userId', 'A user can only be set with the scope preview');
  if (userId !== null && !isUserId(userId))
    return error('userId', 'A user ID has the form @name:server.name');
  if (expiresInDays !== null && (expiresInDays < 1 || expiresInDays > MAX_DAYS))
    return error('expiresInDays', `From 1 to ${MAX_DAYS} days`);
  return null;
}
