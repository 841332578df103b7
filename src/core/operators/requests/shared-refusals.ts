import { z } from 'zod';

import {
  MAX_GROUPS,
  reasonOf,
  refusalGroupSchema,
  type RefusalGroup,
  type RefusedRequests,
} from '../../access/users/refused-requests.js';
import type { InstanceQuestions } from '../../store/instances/instance-questions.js';

export interface SharedRefusalsOptions {
  own: RefusedRequests;
  /** Name of this instance. */
  instance: string;
  questions: InstanceQuestions;
}

/** What several instances refused for the same reason, added up. */
export interface SharedRefusalGroup extends RefusalGroup {
  /** Their names. */
  instances: readonly string[];
}

const REFUSALS = { about: 'refused_requests', schema: z.array(refusalGroupSchema) };

/** Requests for previews that any instance refused unread: each is asked for its own. */
export class SharedRefusals {
  constructor(private readonly options: SharedRefusalsOptions) {
    const { own, questions } = options;
    questions.answer(REFUSALS.about, () => own.list());
  }

  /** By their latest, newest first, as many as each instance remembers. */
  async list(): Promise<SharedRefusalGroup[]> {
    const { own, instance, questions } = this.options;
    const { answers } = await questions.ask(REFUSALS, {});
    const groups = new Map<string, SharedRefusalGroup>();
    for (const [name, list] of new Map([[instance, own.list()], ...answers])) {
      for (const group of list) {
        const key = reasonOf(group);
        groups.set(key, addUp(groups.get(key), { ...group, instances: [name] }));
      }
    }
    return [...groups.values()].toSorted((a, b) => b.lastTs - a.lastTs).slice(0, MAX_GROUPS);
  }
}

function addUp(before: SharedRefusalGroup | undefined, group: SharedRefusalGroup): SharedRefusalGroup {
  if (before === undefined) return group;
  return {
    ...(group.lastTs > before.lastTs ? group : before),
    times: before.times + group.times,
    firstTs: Math.min(before.firstTs, group.firstTs),
    instances: [...before.instances, ...group.instances],
  };
}
