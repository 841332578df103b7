import { LRUCache } from 'lru-cache';

import type { Clock } from '../../base/clock.js';
import type { KnownServer } from './record-cache.js';

/** An answer, and how long it stays the answer. */
export interface KeptAnswer {
  answer: Buffer;
  /** What is known of each server asked for; all of it comes from the cache of records. */
  found: readonly KnownServer[];
  /** POSIX ms: from `sinceTs` to `untilTs`, both included, no server would be fetched and no entry is too old. */
  sinceTs: number;
  untilTs: number;
}

/** What the memo is built from. */
export interface AnswerMemoOptions {
  clock: Clock;
  maxBytes: number;
}

/** Shorter questions are answered as fast without a memo. */
const MIN_QUESTION_BYTES = 1024;
/** V8 takes the content of longer texts no more into account when it looks them up. */
const MAX_QUESTION_BYTES = 16_383;
const ENTRY_OVERHEAD_BYTES = 500;
/** Power of two. */
const NOTED_QUESTIONS = 4096;
const SAMPLES = 64;

/**
 * Answers to questions that are asked in the same bytes again and again: peers repeat questions, and the workers
 * of one peer ask the same. An answer counts only as long as working it out anew would give the same without
 * store and network. It is kept from the second time on, so that questions never repeated cost nothing.
 */
export class AnswerMemo {
  readonly #answers: LRUCache<string, KeptAnswer>;
  /** Digests of questions lately asked, each at the place its own bits give it, and whether it came once or twice. */
  readonly #noted = new Uint32Array(NOTED_QUESTIONS);
  readonly #times = new Uint8Array(NOTED_QUESTIONS);

  constructor(private readonly options: AnswerMemoOptions) {
    this.#answers = new LRUCache({ maxSize: options.maxBytes, maxEntrySize: options.maxBytes >> 2 });
  }

  /** The answer kept for this very question; `null` when there is none that still holds. Notes the question. */
  recall(question: Buffer): KeptAnswer | null {
    if (!isMemorable(question) || !this.#note(question)) return null;
    const key = question.toString('latin1');
    const kept = this.#answers.get(key);
    if (kept === undefined) return null;
    if (holds(kept, this.options.clock.now())) return kept;
    this.#answers.delete(key);
    return null;
  }

  /** Whether the question asked last was asked before, so that its answer is worth keeping. */
  wants(question: Buffer): boolean {
    if (!isMemorable(question)) return false;
    const digest = digestOf(question);
    const at = digest % NOTED_QUESTIONS;
    return this.#noted[at] === digest && this.#times[at] === 2;
  }

  /** Keeps an answer, if it still holds, until it is pushed out by others. */
  keep(question: Buffer, kept: KeptAnswer): void {
    if (!holds(kept, this.options.clock.now())) return;
    const size = ENTRY_OVERHEAD_BYTES + question.length + kept.answer.length + 8 * kept.found.length;
    this.#answers.set(question.toString('latin1'), kept, { size });
  }

  /** Whether the question, or one that looks like it, was asked before. */
  #note(question: Buffer): boolean {
    const digest = digestOf(question);
    const at = digest % NOTED_QUESTIONS;
    const isKnown = this.#noted[at] === digest;
    this.#noted[at] = digest;
    this.#times[at] = isKnown ? 2 : 1;
    return isKnown;
  }
}

function isMemorable(question: Buffer): boolean {
  return question.length >= MIN_QUESTION_BYTES && question.length <= MAX_QUESTION_BYTES;
}

function holds({ found, sinceTs, untilTs }: KeptAnswer, nowTs: number): boolean {
  if (nowTs < sinceTs || nowTs > untilTs) return false;
  for (const known of found) if (!known.isCached) return false;
  return true;
}

/** Some bytes of the question, evenly spread, in 32 bits; only what is worth a look depends on it. */
function digestOf(question: Buffer): number {
  let digest = question.length;
  const step = question.length / SAMPLES;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    digest = (Math.imul(digest, 31) + (question[Math.trunc(sample * step)] ?? 0)) | 0;
  }
  return digest >>> 0;
}
