import { z } from 'zod';

import type { PreviewForgetting } from '../../preview/pipeline/preview-forgetting.js';
import type { InstanceQuestions } from '../../store/instances/instance-questions.js';
import type { CappedCount, Page, PageRequest } from '../../store/lists/keyset-page.js';
import {
  meantBy,
  memoryRecordSchema,
  pageOfMemory,
  type MemoryFilter,
  type MemoryList,
  type MemoryRecord,
} from './memory-list.js';

export interface SharedMemoryOptions {
  own: MemoryList;
  /** Name of this instance. */
  instance: string;
  forgetting: PreviewForgetting;
  questions: InstanceQuestions;
}

/** An entry with the name of the instance that remembers it. */
export interface SharedRecord extends MemoryRecord {
  instance: string;
}

/** Which entries go. */
export type Forgotten = z.infer<typeof FORGOTTEN>;

/** So many of each other instance, those that stand first: they come as a message. */
const MOST_OF_OTHERS = 200;

const FORGOTTEN = z.object({ ids: z.array(z.string()).nullable(), failedOnly: z.boolean() });
const MEMORY = { about: 'memory', schema: z.array(memoryRecordSchema) };
const FORGET = { about: 'forget_memory', schema: z.array(z.string()) };

/** The memory caches of all instances as one list: each is asked for its own. */
export class SharedMemory {
  constructor(private readonly options: SharedMemoryOptions) {
    const { own, questions } = options;
    questions.answer(MEMORY.about, () => pageOfMemory(own.all({}), FIRST).rows.map(({ row }) => row));
    questions.answer(FORGET.about, (asked) => {
      const which = FORGOTTEN.safeParse(asked);
      return which.success ? this.#forgetOwn(which.data) : undefined;
    });
  }

  /** One page, of all instances or of the named one. Throws 400 for a text that is no cursor. */
  async page(
    filter: MemoryFilter & { instance: string | null },
    request: PageRequest,
  ): Promise<{ page: Page<SharedRecord>; count: CappedCount }> {
    const { own, instance } = this.options;
    const mine = own.all(filter).map((record) => ({ ...record, instance }));
    const others = filter.instance === instance ? NOBODY : await this.#ofOthers(filter);
    const all = [...mine, ...others.records].filter(
      (record) => filter.instance === null || record.instance === filter.instance,
    );
    return { page: pageOfMemory(all, request), count: { count: all.length, exact: others.isWhole } };
  }

  /** Forgets entries on whichever instance; resolves to the ids of those that went. */
  async forget(which: Forgotten): Promise<string[]> {
    const gone = await this.#forgetOwn(which);
    const { answers } = await this.options.questions.ask(FORGET, which);
    return [...gone, ...[...answers.values()].flat()];
  }

  async #forgetOwn({ ids, failedOnly }: Forgotten): Promise<string[]> {
    const { own, forgetting } = this.options;
    const wanted = own
      .all(failedOnly ? { state: 'failed' } : {})
      .filter(({ id }) => ids?.includes(id) ?? true);
    await (ids === null
      ? forgetting.forgetAll({ failedOnly })
      : forgetting.forget(wanted.map(({ url }) => url)));
    return wanted.map(({ id }) => id);
  }

  async #ofOthers(filter: MemoryFilter): Promise<{ records: SharedRecord[]; isWhole: boolean }> {
    const { answers, silent } = await this.options.questions.ask(MEMORY, {});
    const lists = [...answers].map(([instance, records]) =>
      records.map((record) => ({ ...record, instance })),
    );
    const isWhole = silent.length === 0 && lists.every((list) => list.length < MOST_OF_OTHERS);
    return { records: lists.flat().filter(meantBy(filter)), isWhole };
  }
}

const FIRST: PageRequest = { direction: 'forward', size: MOST_OF_OTHERS, cursor: null };
const NOBODY = { records: [], isWhole: true };
