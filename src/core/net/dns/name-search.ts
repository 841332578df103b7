import { SECOND_MS, type Clock } from '../../base/clock.js';
import { searchedNames, type ResolvConf } from './resolv-conf.js';

/** So long after a failure a domain is asked last; then one look-up asks it in its place again. */
const LATELY_MS = 10 * SECOND_MS;
/** What a domain gets that has not answered since it failed. */
const BRIEF_MS = SECOND_MS / 2;

/** What names are looked for with. */
export interface SearchBy<T> {
  /** Limit of the whole search. */
  limitMs: number;
  /** Asks for one name; `null` when it does not exist. */
  ask: (asked: string, limitMs: number) => Promise<T | null>;
}

interface Candidate {
  asked: string;
  /** What completes the name; empty for the name as written. */
  domain: string;
  /** Whether its failure ends the search. */
  isFinal: boolean;
}

/**
 * Looks for names as the search rules of the system say (resolv.conf(5)). A search domain that fails hides nothing that
 * is found without it, and costs other names little.
 */
export class NameSearch {
  /** Search domains that have not answered since. */
  readonly #failedTs = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /**
   * The first that exists. Without any, a failure on the way is thrown, since the name may exist there; `null`: there
   * is none.
   */
  async find<T>(name: string, conf: ResolvConf, { limitMs, ask }: SearchBy<T>): Promise<T | null> {
    const endMs = performance.now() + limitMs;
    const failures = new Map<string, unknown>();
    const candidates = this.#ordered(name, conf);
    for (const [at, { asked, domain, isFinal }] of candidates.entries()) {
      const shareMs = this.#shareOf(candidates.slice(at), endMs - performance.now(), limitMs);
      try {
        const answer = await ask(asked, shareMs);
        this.#failedTs.delete(domain);
        if (answer !== null) return answer;
      } catch (error) {
        if (isFinal) throw error;
        failures.set(domain, error);
        if (domain !== '') this.#failedTs.set(domain, this.clock.now());
      }
    }
    if (failures.size === 0) return null;
    throw failures.get('') ?? [...failures.values()][0];
  }

  /** Domains that failed lately at the end. */
  #ordered(name: string, conf: ResolvConf): Candidate[] {
    for (const known of this.#failedTs.keys()) if (!conf.search.includes(known)) this.#failedTs.delete(known);
    const searched = searchedNames(name, conf).map((asked, at) => {
      const domain = asked.slice(name.length + 1);
      // Below a search domain there may be such a name, too, but not the one that is meant.
      return { asked, domain, isFinal: domain === '' && at === 0, isLast: this.#goesLast(domain) };
    });
    return searched.sort((a, b) => Number(a.isLast) - Number(b.isLast));
  }

  #goesLast(domain: string): boolean {
    const failedTs = this.#failedTs.get(domain);
    if (failedTs === undefined) return false;
    const nowTs = this.clock.now();
    // A clock set back must not keep it last.
    if (nowTs >= failedTs && nowTs - failedTs < LATELY_MS) return true;
    // For all others it stays last until this look-up has ended.
    this.#failedTs.set(domain, nowTs);
    return false;
  }

  /** Time for the first of the candidates: those before the name as written leave it half of the whole. */
  #shareOf(candidates: readonly Candidate[], leftMs: number, limitMs: number): number {
    const asWritten = candidates.findIndex(({ domain }) => domain === '');
    if (asWritten === 0) return leftMs;
    const isPassed = asWritten === -1;
    const shareMs = isPassed ? leftMs / candidates.length : (leftMs - limitMs / 2) / asWritten;
    return this.#failedTs.has(candidates[0]?.domain ?? '') ? Math.min(shareMs, BRIEF_MS) : shareMs;
  }
}
