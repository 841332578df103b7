import type { Database } from '../../store/db.js';

/** An address that was asked for. */
export interface SeenUrl {
  url: string;
  ts: number;
  /** The network address that was refused, where one was. */
  address: string | null;
}

type PageOf = (below: number | null) => Promise<(SeenUrl & { id: number })[]>;

const PAGE = 500;

/**
 * Addresses of stored previews and refused ones, newest first, each once; at most `most` of them. They are read in
 * pieces, so that whoever has seen enough may stop.
 */
export async function* seenUrls({ client }: Database, most: number): AsyncGenerator<SeenUrl> {
  const seen = new Set<string>();
  const previews = inPages(async (below) => {
    const select = { id: true, url: true, createdTs: true };
    const rows = await client.previewCache.findMany({ ...pageBelow(below), select });
    return rows.map(({ id, url, createdTs }) => ({ id, url, ts: Number(createdTs), address: null }));
  });
  const refused = inPages(async (below) => {
    const select = { id: true, url: true, ts: true, address: true };
    const rows = await client.blacklistHit.findMany({ ...pageBelow(below), select });
    return rows.map(({ ts, ...row }) => ({ ...row, ts: Number(ts) }));
  });
  for await (const found of newestOf(previews, refused)) {
    if (seen.has(found.url)) continue;
    seen.add(found.url);
    yield found;
    if (seen.size >= most) return;
  }
}

function pageBelow(below: number | null) {
  const where = below === null ? {} : { id: { lt: below } };
  return { where, orderBy: { id: 'desc' }, take: PAGE } as const;
}

async function* inPages(pageOf: PageOf): AsyncGenerator<SeenUrl> {
  for (let below: number | null = null; ;) {
    const page = await pageOf(below);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    below = last.id;
  }
}

async function* newestOf(
  one: AsyncGenerator<SeenUrl>,
  other: AsyncGenerator<SeenUrl>,
): AsyncGenerator<SeenUrl> {
  let [a, b] = [await one.next(), await other.next()];
  for (;;) {
    if (a.done === true && b.done === true) return;
    if (b.done === true || (a.done !== true && a.value.ts >= b.value.ts)) {
      if (a.done !== true) yield a.value;
      a = await one.next();
    } else {
      yield b.value;
      b = await other.next();
    }
  }
}
