import { z } from 'zod';

import type { InstanceQuestions } from '../../store/instances/instance-questions.js';
import {
  requestEventSchema,
  requestStorySchema,
  type RequestEvent,
  type RequestJournal,
  type RequestStory,
  type UnloggedFailures,
} from './request-journal.js';

export interface SharedJournalOptions {
  own: RequestJournal;
  instance: string;
  questions: InstanceQuestions;
}

/** An event with the name of the instance that remembers it. */
export interface SharedEvent extends RequestEvent {
  instance: string;
}

/** What all instances know of one request; events by their times. */
export interface SharedStory extends RequestStory {
  events: readonly SharedEvent[];
  /** Names of instances that did not answer. */
  silent: readonly string[];
}

const STORY = { about: 'request', schema: requestStorySchema };
const PREVIEWS = { about: 'host_requests', schema: z.array(requestEventSchema) };
const STORY_ASKED = z.object({ requestId: z.string() });
const PREVIEWS_ASKED = z.object({ host: z.string(), limit: z.int().min(1).max(100) });

/** What requests did of late, on whichever instance: each is asked for its own. */
export class SharedJournal {
  constructor(private readonly options: SharedJournalOptions) {
    const { own, questions } = options;
    questions.answer(STORY.about, (question) => {
      const { data } = STORY_ASKED.safeParse(question);
      return data === undefined ? undefined : own.find(data.requestId);
    });
    questions.answer(PREVIEWS.about, (question) => {
      const { data } = PREVIEWS_ASKED.safeParse(question);
      return data === undefined ? undefined : own.latestPreviews(data.host, data.limit);
    });
  }

  /** Of each instance. */
  get maxEvents(): number {
    return this.options.own.maxEvents;
  }

  async find(requestId: string): Promise<SharedStory> {
    const { own, instance, questions } = this.options;
    const { answers, silent } = await questions.ask(STORY, { requestId });
    const stories = new Map<string, RequestStory>([[instance, own.find(requestId)], ...answers]);
    const all = [...stories.values()];
    const telling = all.filter(({ events }) => events.length > 0);
    // Whoever answered a request knows of it; what others have forgotten then was of other requests.
    const told = telling.length > 0 ? telling : all;
    const events = [...stories].flatMap(([name, story]) => named(story.events, name));
    return {
      events: events.toSorted((a, b) => a.ts - b.ts),
      isWhole: silent.length === 0 && told.every(({ isWhole }) => isWhole),
      unlogged: told.map(({ unlogged }) => unlogged).reduce(addUp, null),
      silent,
    };
  }

  /** As `RequestJournal.latestPreviews`; the latest first, `limit` at most 100. */
  async latestPreviews(host: string, limit: number): Promise<Pick<SharedStory, 'events' | 'silent'>> {
    const { own, instance, questions } = this.options;
    const { answers, silent } = await questions.ask(PREVIEWS, { host, limit });
    const lists = new Map([[instance, own.latestPreviews(host, limit)], ...answers]);
    const events = [...lists].flatMap(([name, list]) => named(list, name));
    return { events: events.toSorted((a, b) => b.ts - a.ts).slice(0, limit), silent };
  }
}

function named(events: readonly RequestEvent[], instance: string): SharedEvent[] {
  return events.map((event) => ({ ...event, instance }));
}

function addUp(a: UnloggedFailures | null, b: UnloggedFailures | null): UnloggedFailures | null {
  if (a === null || b === null) return a ?? b;
  return {
    count: a.count + b.count,
    sinceTs: Math.min(a.sinceTs, b.sinceTs),
    untilTs: Math.max(a.untilTs, b.untilTs),
  };
}
