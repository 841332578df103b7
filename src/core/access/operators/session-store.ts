import { plainRow, type PlainRow } from '../../store/plain-row.js';
import { hash, randomBytes } from 'node:crypto';

import { ROLES, SESSION_METHODS, type Role, type SessionMethod } from './viewer.js';
import { isOneOf } from '../../base/json/is-record.js';
import { MINUTE_MS, type Clock } from '../../base/clock.js';
import type { AdminSessionRow, Database } from '../../store/db.js';
import type { Logger } from '../../base/logger.js';
import { storableText } from '../../base/text/strings.js';

/** A session as the store knows it; its secret is in the cookie alone. `lastSeenTs` is to the minute. */
export type AdminSessionInfo = Omit<PlainRow<KnownRow>, 'tokenSha256'>;

export interface NewSession extends Pick<
  AdminSessionInfo,
  'actor' | 'role' | 'method' | 'address' | 'userAgent' | 'accessTokenId'
> {
  /** When what it was made with ends; `null`: never. */
  endsTs: number | null;
}

/** How long a session lasts, and how long it may be idle. */
export interface SessionLifetimes {
  absoluteMs: number;
  idleMs: number;
}

const SECRET_BYTES = 32;
const TOUCH_INTERVAL_MS = MINUTE_MS;
const MAX_USER_AGENT_LENGTH = 300;
const MAX_LISTED = 500;

/** Sessions of operators. The secret is 256 random bits, kept as its SHA-256. */
export class SessionStore {
  constructor(
    private readonly parts: { database: Database; clock: Clock; logger: Logger },
    private readonly lifetimes: SessionLifetimes,
  ) {}

  get #rows(): Database['client']['adminSession'] {
    return this.parts.database.client.adminSession;
  }

  /** Makes a session. `secret` is its only appearance in the clear. Rows of ended sessions are removed on the way. */
  async create(wanted: NewSession): Promise<{ secret: string; session: AdminSessionInfo }> {
    const { endsTs, userAgent, actor, ...rest } = wanted;
    const nowTs = this.parts.clock.now();
    const idleTs = BigInt(nowTs - this.lifetimes.idleMs);
    await this.#rows.deleteMany({
      where: { OR: [{ expiresTs: { lte: BigInt(nowTs) } }, { lastSeenTs: { lte: idleTs } }] },
    });
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const row = await this.#rows.create({
      data: {
        ...rest,
        id: randomBytes(6).toString('hex'),
        tokenSha256: hashSecret(secret),
        actor: storableText(actor),
        userAgent: userAgent === null ? null : storableText(userAgent.slice(0, MAX_USER_AGENT_LENGTH)),
        createdTs: BigInt(nowTs),
        lastSeenTs: BigInt(nowTs),
        expiresTs: BigInt(Math.min(nowTs + this.lifetimes.absoluteMs, endsTs ?? Infinity)),
      },
    });
    return { secret, session: toInfo({ ...row, role: wanted.role, method: wanted.method }) };
  }

  /** The session of a cookie's value; `null` when there is none or it has ended. */
  async find(secret: string): Promise<AdminSessionInfo | null> {
    const tokenSha256 = hashSecret(secret);
    const [session = null] = await this.#usable(await this.#rows.findMany({ where: { tokenSha256 } }));
    return session;
  }

  /** Sessions that can be used, the latest sign-in first, at most 500. */
  async list(): Promise<AdminSessionInfo[]> {
    const rows = await this.#rows.findMany({
      where: { expiresTs: { gt: BigInt(this.parts.clock.now()) } },
      orderBy: [{ createdTs: 'desc' }, { id: 'desc' }],
      take: MAX_LISTED,
    });
    return this.#usable(rows);
  }

  /** Notes that a session is in use, at most once a minute. Never rejects: failures are logged. */
  async touch({ id, lastSeenTs }: AdminSessionInfo): Promise<void> {
    const nowTs = this.parts.clock.now();
    if (nowTs - lastSeenTs < TOUCH_INTERVAL_MS) return;
    try {
      await this.#rows.updateMany({ where: { id }, data: { lastSeenTs: BigInt(nowTs) } });
    } catch (error) {
      this.parts.logger.warn({ err: error, session_id: id }, 'the last use of a session could not be stored');
    }
  }

  /** Ends a session by its id; `false` when there is none. */
  async end(id: string): Promise<boolean> {
    return (await this.#rows.deleteMany({ where: { id } })).count > 0;
  }

  /** The rows that are neither idle for too long, nor over, nor made with a token that was revoked since. */
  async #usable(rows: readonly AdminSessionRow[]): Promise<AdminSessionInfo[]> {
    const nowTs = this.parts.clock.now();
    const sessions = rows
      .filter(isKnown)
      .map(toInfo)
      .filter(({ expiresTs, lastSeenTs }) => expiresTs > nowTs && lastSeenTs + this.lifetimes.idleMs > nowTs);
    const tokenIds = sessions.flatMap(({ accessTokenId }) => accessTokenId ?? []);
    if (tokenIds.length === 0) return sessions;
    const valid = await this.parts.database.client.accessToken.findMany({
      where: { id: { in: tokenIds }, revokedTs: null },
      select: { id: true },
    });
    const validIds = new Set(valid.map(({ id }) => id));
    return sessions.filter(({ accessTokenId }) => accessTokenId === null || validIds.has(accessTokenId));
  }
}

type KnownRow = AdminSessionRow & { role: Role; method: SessionMethod };

/** Not one that another version of this program made for a role or in a way that this one does not know. */
function isKnown(row: AdminSessionRow): row is KnownRow {
  return isOneOf(ROLES, row.role) && isOneOf(SESSION_METHODS, row.method);
}

function toInfo({ tokenSha256: _secret, ...row }: KnownRow): AdminSessionInfo {
  return plainRow(row);
}

const hashSecret = (secret: string): string => hash('sha256', secret);
