import { createHash, randomInt } from 'node:crypto';

import { ROLES, type Role } from './viewer.js';
import { isOneOf } from '../../base/json/is-record.js';
import type { Clock } from '../../base/clock.js';
import type { Database } from '../../store/db.js';

/** 32 signs that are hard to take for one another: no I, O, 0, 1. Twelve of them are 60 bits. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const LENGTH = 12;
/** Who signs in with a code that names nobody. */
export const NAMELESS = 'operator';
const GROUPS = /.{4}(?!$)/g;

/** One-time codes that sign an operator in. Only their SHA-256 is kept. */
export class SignInCodes {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    /** Setting admin.sign_in_code_lifetime. */
    private readonly lifetimeMs: number,
  ) {}

  /** Makes a code such as `ABCD-EFGH-2345`; `actor` is who signs in with it. Rows of codes whose time is over are removed on the way. */
  async create(role: Role, actor = NAMELESS): Promise<{ code: string; expiresTs: number }> {
    const nowTs = this.clock.now();
    const expiresTs = nowTs + this.lifetimeMs;
    const plain = Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
    const { signInCode } = this.database.client;
    await signInCode.deleteMany({ where: { expiresTs: { lte: BigInt(nowTs) } } });
    await signInCode.create({
      data: {
        codeSha256: hashCode(plain),
        role,
        actor,
        createdTs: BigInt(nowTs),
        expiresTs: BigInt(expiresTs),
      },
    });
    return { code: plain.replace(GROUPS, '$&-'), expiresTs };
  }

  /**
   * Uses a code up and gives its role and who it was for; `null` when it is unknown, used or too old, which nobody is told apart.
   * Case, blanks and dashes do not matter. Of simultaneous uses one wins: the database decides in one statement.
   */
  async use(code: string): Promise<{ role: Role; actor: string } | null> {
    const codeSha256 = hashCode(code.replaceAll(/[\s-]/g, '').toUpperCase());
    const nowTs = BigInt(this.clock.now());
    const { signInCode } = this.database.client;
    const { count } = await signInCode.updateMany({
      where: { codeSha256, usedTs: null, expiresTs: { gt: nowTs } },
      data: { usedTs: nowTs },
    });
    const row = await signInCode.findUnique({ where: { codeSha256 } });
    if (count !== 1 || row === null || !isOneOf(ROLES, row.role)) return null;
    return { role: row.role, actor: row.actor };
  }
}

function hashCode(plain: string): string {
  return createHash('sha256').update(plain).digest('hex');
}
