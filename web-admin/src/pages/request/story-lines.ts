import type { Tone } from '../../ui/state/state-badge.js';
import { toneOfOutcome } from '../audit/outcome-tone.js';
import { serverHref } from '../keys/server-href.js';
import { previewHref } from '../previews/preview-href.js';
import type { RequestStory } from './request-query.js';

/** One thing a request did, whatever tells of it. */
export interface StoryLine {
  key: string;
  at: string;
  what: string;
  tone: Tone;
  outcome: string;
  /** Anybody's text. */
  subject: string;
  href: string | null;
  /** Anybody's text; null for nothing to add. */
  note: string | null;
  mediaId: string | null;
}

type Event = RequestStory['events'][number];

const WHAT: Record<Event['kind'], string> = {
  KEY_FETCH: 'Key fetch',
  KEY_FETCH_JOINED: 'Waited for a key fetch',
  PREVIEW: 'Preview',
  FAILURE: 'Answered with an error',
};

const GOOD = new Set(['ok', 'memory', 'stored', 'made', 'joined']);

/** Everything that is known of a request, in the order it happened. */
export function storyLines({ events, audit, refusals }: RequestStory): StoryLine[] {
  const lines: StoryLine[] = [
    ...events.map((event, index) => eventLine(event, index)),
    ...audit.map(({ id, at, actor, summary, outcome }) => ({
      key: id,
      at,
      what: 'Action of an operator',
      tone: toneOfOutcome(outcome),
      outcome: outcome.toLowerCase(),
      subject: summary,
      href: null,
      note: actor,
      mediaId: null,
    })),
    ...refusals.map(({ id, at, url, ruleText, stage }) => ({
      key: id,
      at,
      what: `Refused address (${stage.toLowerCase()})`,
      tone: 'bad' as const,
      outcome: 'refused',
      subject: url,
      href: null,
      note: ruleText,
      mediaId: null,
    })),
  ];
  return lines.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function eventLine({ at, kind, subject, outcome, detail, mediaId }: Event, index: number): StoryLine {
  const isKeys = kind === 'KEY_FETCH' || kind === 'KEY_FETCH_JOINED';
  const href = isKeys
    ? serverHref(subject)
    : kind === 'PREVIEW'
      ? previewHref({ id: null, url: subject })
      : null;
  const tone = GOOD.has(outcome) ? 'ok' : 'bad';
  return { key: `event-${index}`, at, what: WHAT[kind], tone, outcome, subject, href, note: detail, mediaId };
}
