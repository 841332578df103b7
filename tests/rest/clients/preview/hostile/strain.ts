import { expect } from 'vitest';

import type { PreviewAnswer } from '../../../../support/clients/preview-client.js';
import { tagged, type PreviewKit } from '../preview-kit.js';

/** What a piece of work did to the process. */
export interface Strain {
  tookMs: number;
  /** The longest that a trivial key query waited meanwhile. */
  worstQueryMs: number;
  grownBytes: number;
}

/** Bounds of security.md, table A to E; this process holds the hostile origin too. */
export const WORST_QUERY_MS = 500;
const WORST_GROWTH_BYTES = 250 * 1024 * 1024;

let number = 0;

/**
 * Previews the target while asking for our own keys all the time, and checks what must hold after every attack:
 * answered in time, others never waited long, little memory, and the next preview is made.
 */
export async function underAttack(
  kit: PreviewKit,
  target: string,
  { withinMs = 4000 }: { withinMs?: number } = {},
): Promise<PreviewAnswer> {
  const { answer, strain } = await strained(kit, () => kit.preview(target));
  expect(strain.tookMs).toBeLessThan(withinMs);
  expect(strain.worstQueryMs).toBeLessThan(WORST_QUERY_MS);
  expect(strain.grownBytes).toBeLessThan(WORST_GROWTH_BYTES);
  number += 1;
  const next = await kit.preview(kit.serve(`/next/${number}`, tagged({ 'og:title': 'Next' })));
  expect([next.status, next.body['og:title']]).toEqual([200, 'Next']);
  return answer;
}

/** Does the work while asking for our own keys all the time. */
export async function strained<T>(
  kit: PreviewKit,
  work: () => Promise<T>,
): Promise<{ answer: T; strain: Strain }> {
  const before = process.memoryUsage().rss;
  const over = new AbortController();
  let [worstQueryMs, peak] = [0, before];
  const startMs = performance.now();
  const asking = async () => {
    while (!over.signal.aborted) {
      const askedMs = performance.now();
      const response = await fetch(`${kit.service.url}/_svc/key/v2/query/notary.test`);
      expect(response.status).toBe(200);
      await response.arrayBuffer();
      worstQueryMs = Math.max(worstQueryMs, performance.now() - askedMs);
      peak = Math.max(peak, process.memoryUsage().rss);
      await new Promise<void>((resolve) => {
        setTimeout(resolve, 5);
      });
    }
  };
  const asked = asking();
  try {
    const answer = await work();
    const tookMs = performance.now() - startMs;
    return { answer, strain: { tookMs, worstQueryMs, grownBytes: peak - before } };
  } finally {
    over.abort();
    await asked;
  }
}
