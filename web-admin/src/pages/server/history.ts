import type { BandData, ServerHistory } from './history-query.js';

/** A period in which the newest record listed a key unchanged. */
export interface KeyPiece {
  from: string;
  /** `null`: it still does. */
  until: string | null;
  key: string;
  isOld: boolean;
  /** Until when it verifies signatures. */
  validUntil: string;
}

/** The periods of one key ID, oldest first. */
export interface KeyLane {
  keyId: string;
  pieces: KeyPiece[];
}

export type MarkKind = 'FIRST' | 'ROTATION' | 'ADDED' | 'RETIRED' | 'REPLACEMENT' | 'GAP' | 'ACKNOWLEDGED';

/** Something worth marking; `until` is the end of a gap. */
export interface Mark {
  kind: MarkKind;
  from: string;
  until: string | null;
  sentence: string;
}

/** What the drawing and the tables show. */
export interface KeyHistory {
  /** Newest first. */
  bands: readonly BandData[];
  /** Last changed first. */
  lanes: readonly KeyLane[];
  lanesLeftOut: number;
  /** Oldest first. */
  marks: readonly Mark[];
}

/** A hostile record may list a thousand keys. */
const MAX_LANES = 40;

/** The history that a page of records tells. */
export function historyOf({ history, acknowledgements }: ServerHistory, nowTs: number): KeyHistory {
  const bands = history.nodes.toReversed();
  const lanes = lanesOf(bands);
  const [first, last] = [bands[0]?.from ?? '', bands.at(-1)?.until ?? null];
  const acknowledged = acknowledgements
    .filter(({ at }) => at >= first && (last === null || at < last))
    .map(({ at, actor, reason }) => mark('ACKNOWLEDGED', at, `${actor} acknowledged the alarm: ${reason}`));
  const changes = bands.flatMap((band, index) => [
    ...changesOf(band, bands.slice(0, index), history.pageInfo.hasNextPage),
    ...gapOf(band, nowTs),
  ]);
  return {
    bands: history.nodes,
    lanes: lanes.slice(0, MAX_LANES),
    lanesLeftOut: Math.max(0, lanes.length - MAX_LANES),
    marks: [...changes, ...acknowledged].toSorted((a, b) => Date.parse(a.from) - Date.parse(b.from)),
  };
}

function lanesOf(bands: readonly BandData[]): KeyLane[] {
  const lanes = new Map<string, KeyLane>();
  for (const { from, until, validUntil, keys } of bands) {
    for (const { keyId, key, expiredAt } of keys) {
      const lane = lanes.get(keyId) ?? { keyId, pieces: [] };
      lanes.set(keyId, lane);
      const piece = {
        from,
        until,
        key,
        isOld: expiredAt !== null,
        validUntil: expiredAt ?? validUntil ?? from,
      };
      const before = lane.pieces.at(-1);
      if (before?.until === from && before.key === key && before.isOld === piece.isOld)
        Object.assign(before, { until, validUntil: piece.validUntil });
      else lane.pieces.push(piece);
    }
  }
  const startOf = ({ pieces }: KeyLane) => Date.parse(pieces.at(-1)?.from ?? '');
  return [...lanes.values()].toSorted((a, b) => startOf(b) - startOf(a));
}

/** How the keys of a record differ from those of the record before it; `before` is oldest first. */
function changesOf(band: BandData, before: readonly BandData[], hasOlder: boolean): Mark[] {
  if (band.sha256 === null) return [];
  // Deleted and unknown records say nothing of keys.
  const known = before.findLast(({ sha256 }) => sha256 !== null);
  if (known === undefined)
    return hasOlder || before.length > 0
      ? []
      : [mark('FIRST', band.from, 'The first record of the server was stored.')];
  const keyOf = new Map(known.keys.map(({ keyId, key }) => [keyId, key]));
  const replaced = band.keys.filter(({ keyId, key }) => (keyOf.get(keyId) ?? key) !== key);
  const [old, now] = [inUse(known), inUse(band)];
  const gone = names(old.filter((keyId) => !now.includes(keyId)));
  const added = names(now.filter((keyId) => !old.includes(keyId)));
  const marks = replaced.map(({ keyId }) =>
    mark('REPLACEMENT', band.from, `The key "${keyId}" was replaced by another key under the same ID.`),
  );
  if (added !== '' && gone !== '')
    marks.push(mark('ROTATION', band.from, `${added} took over from ${gone}.`));
  else if (added !== '')
    marks.push(mark('ADDED', band.from, `${added} came into use beside the existing keys.`));
  else if (gone !== '')
    marks.push(mark('RETIRED', band.from, `${gone} went out of use without a successor.`));
  return marks;
}

function inUse({ keys }: BandData): string[] {
  return keys.filter(({ expiredAt }) => expiredAt === null).map(({ keyId }) => keyId);
}

const MAX_NAMES = 3;

function names(keyIds: readonly string[]): string {
  const shown = keyIds.slice(0, MAX_NAMES).map((keyId) => `"${keyId}"`);
  const more = keyIds.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(' and ');
}

/** From when on the newest record was no longer valid, until the next one came. */
function gapOf({ from, until, recordNumber, validUntil }: BandData, nowTs: number): Mark[] {
  // Nobody knows how long a deleted record was valid.
  if (validUntil === null && recordNumber !== null) return [];
  const endedAt = validUntil !== null && validUntil > from ? validUntil : from;
  if (Date.parse(endedAt) >= (until === null ? nowTs : Date.parse(until))) return [];
  const why = validUntil === null ? 'No record was left' : 'The newest record was no longer valid';
  return [{ ...mark('GAP', endedAt, `${why}: no valid record was known.`), until }];
}

function mark(kind: MarkKind, from: string, sentence: string): Mark {
  return { kind, from, until: null, sentence };
}
