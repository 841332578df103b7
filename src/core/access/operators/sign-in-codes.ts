import { hash, randomBytes, randomInt } from 'node:crypto';

import { z } from 'zod';

import { ROLES, type Role } from './viewer.js';
import { MINUTE_MS, type Clock } from '../../base/clock.js';
import type { Database } from '../../store/db.js';

/** 32 signs that are hard to take for one another: no I, O, 0, 1. Twelve of them are 60 bits. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const LENGTH = 12;
/** The name of who signs in with a code without a name. */
export const NAMELESS = 'operator';
const GROUPS = /.{4}(?!$)/g;
/** A command makes its code right before the one request it is for. */
const COMMAND_LIFETIME_MS = MINUTE_MS;
/** A person types it in. */
export const SIGN_IN_CODE_LIFETIME_MS = 15 * MINUTE_MS;
const COMMAND_SECRET_BYTES = 24;

/** Before the SHA-256 of a code, as the name of a row of state_value whose time is when the code expires. */
const PREFIX = 'code ';
const HOLDER = z.object({ role: z.enum(ROLES), actor: z.string() });

/** Whom a code stands for. */
export type CodeHolder = z.infer<typeof HOLDER>;

/** One-time codes that sign an operator in. Only their SHA-256 is kept. */
export class SignInCodes {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Makes a code such as `ABCD-EFGH-2345`; `actor` is who signs in with it. */
  async create(role: Role, actor = NAMELESS): Promise<{ code: string; expiresTs: number }> {
    const expiresTs = this.clock.now() + SIGN_IN_CODE_LIFETIME_MS;
    const plain = Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
    await this.#store(hashCode(plain), { role, actor }, expiresTs);
    return { code: plain.replace(GROUPS, '$&-'), expiresTs };
  }

  /** Makes the secret of one request of a command on this machine; it cannot be used to sign in. */
  async createForCommand(actor: string): Promise<string> {
    const secret = randomBytes(COMMAND_SECRET_BYTES).toString('base64url');
    await this.#store(hashCommand(secret), { role: 'admin', actor }, this.clock.now() + COMMAND_LIFETIME_MS);
    return secret;
  }

  /**
   * Uses a code up; `null` when it is unknown, used or too old. Case, blanks and dashes do not matter. Of simultaneous
   * uses one wins: the database decides in one statement.
   */
  use(code: string): Promise<CodeHolder | null> {
    return this.#use(hashCode(code.replaceAll(/[\s-]/g, '').toUpperCase()));
  }

  /** The same for the secret of a command's request. */
  useForCommand(secret: string): Promise<CodeHolder | null> {
    return this.#use(hashCommand(secret));
  }

  /** Codes whose time is over are removed on the way. */
  async #store(codeSha256: string, { role, actor }: CodeHolder, expiresTs: number): Promise<void> {
    const { stateValue } = this.database.client;
    const isOver = { lte: BigInt(this.clock.now()) };
    await stateValue.deleteMany({ where: { name: { startsWith: PREFIX }, ts: isOver } });
    const row = { name: PREFIX + codeSha256, value: { role, actor }, ts: BigInt(expiresTs) };
    await stateValue.create({ data: row });
  }

  async #use(codeSha256: string): Promise<CodeHolder | null> {
    const { stateValue } = this.database.client;
    const where = { name: PREFIX + codeSha256, ts: { gt: BigInt(this.clock.now()) } };
    // Wrong guesses cause no write, and take the same time whatever is wrong with the code.
    const row = await stateValue.findFirst({ where });
    const holder = HOLDER.safeParse(row?.value);
    if (!holder.success) return null;
    const { count } = await stateValue.deleteMany({ where });
    return count === 1 ? holder.data : null;
  }
}

const hashCode = (plain: string): string => hash('sha256', plain);

/** Prefixed, so that a command's secret and a sign-in code cannot replace each other. */
const hashCommand = (secret: string): string => hashCode(`command ${secret}`);
