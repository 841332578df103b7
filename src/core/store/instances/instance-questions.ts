import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import { SECOND_MS } from '../../base/clock.js';
import type { InstanceMessages } from './instance-messages.js';

export interface InstanceQuestionsOptions {
  messages: InstanceMessages;
  /** Name of this instance. */
  instance: string;
  /** Names of the others that are alive. */
  findOthers: () => Promise<readonly string[]>;
}

/** What instances ask each other about. */
export interface Topic<Answer> {
  about: string;
  /** Of an answer; other instances may run another version. */
  schema: z.ZodType<Answer>;
}

/** What the others answered, by their names. */
export interface Answers<Answer> {
  answers: ReadonlyMap<string, Answer>;
  /** Names of those that did not answer in time, or what does not fit. */
  silent: readonly string[];
}

const PATIENCE_MS = 2 * SECOND_MS;
/** Each question is a row and a message for all instances, and each answer too. */
const MAX_UNDER_WAY = 16;
const QUESTION = z.object({ id: z.string(), about: z.string(), question: z.unknown() });
const ANSWER = z.object({ id: z.string(), from: z.string(), answer: z.unknown() });

/** Asks the other instances what only they know, such as what is in their memory. */
export class InstanceQuestions {
  readonly #answerers = new Map<string, (question: unknown) => unknown>();
  /** Under way, by what is asked. */
  readonly #asking = new Map<string, Promise<ReadonlyMap<string, unknown>>>();
  readonly #asked = new Map<string, (from: string, answer: unknown) => void>();

  constructor(private readonly options: InstanceQuestionsOptions) {
    const { messages, instance } = options;
    messages.on('question', {
      schema: QUESTION,
      receive: async ({ id, about, question }) => {
        const answer = await this.#answerers.get(about)?.(question);
        if (answer !== undefined) await messages.send('answer', { id, from: instance, answer });
      },
      // Whoever asked does not wait for ever.
      lost: () => undefined,
    });
    messages.on('answer', {
      schema: ANSWER,
      receive: ({ id, from, answer }) => this.#asked.get(id)?.(from, answer),
      lost: () => undefined,
    });
  }

  /** What this instance says about something; `undefined` is no answer. */
  answer(about: string, answerer: (question: unknown) => unknown): void {
    this.#answerers.set(about, answerer);
  }

  /** Resolves when all others have answered, or after two seconds. */
  async ask<Answer>({ about, schema }: Topic<Answer>, question: unknown): Promise<Answers<Answer>> {
    const others = await this.options.findOthers();
    const answers = new Map<string, Answer>();
    if (others.length === 0) return { answers, silent: [] };
    for (const [name, answer] of await this.#askOnce({ about, question }, others)) {
      const read = schema.safeParse(answer);
      if (read.success) answers.set(name, read.data);
    }
    return { answers, silent: others.filter((name) => !answers.has(name)) };
  }

  /** What is asked already is not asked again; beyond the most that are under way nobody is asked, and all are silent. */
  async #askOnce(
    asked: { about: string; question: unknown },
    others: readonly string[],
  ): Promise<ReadonlyMap<string, unknown>> {
    const key = JSON.stringify(asked);
    const underWay = this.#asking.get(key);
    if (underWay !== undefined) return underWay;
    if (this.#asking.size >= MAX_UNDER_WAY) return new Map();
    const answers = this.#askAll(asked, others).finally(() => this.#asking.delete(key));
    this.#asking.set(key, answers);
    return answers;
  }

  async #askAll(
    asked: { about: string; question: unknown },
    others: readonly string[],
  ): Promise<ReadonlyMap<string, unknown>> {
    const { messages } = this.options;
    const answers = new Map<string, unknown>();
    const id = randomUUID();
    let timer: NodeJS.Timeout | undefined;
    const complete = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS);
      this.#asked.set(id, (from, answer) => {
        answers.set(from, answer);
        if (others.every((name) => answers.has(name))) resolve();
      });
    });
    try {
      await messages.send('question', { id, ...asked });
      await complete;
    } finally {
      clearTimeout(timer);
      this.#asked.delete(id);
    }
    return answers;
  }
}
