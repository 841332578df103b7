import { Gauge } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startTestService, type TestService } from '../support/service.js';

const SCRAPES = 200;

describe('/metrics', () => {
  let service: TestService;
  let collections = 0;

  beforeAll(async () => {
    service = await startTestService();
    const collect = function (this: Gauge): void {
      collections += 1;
      this.set(collections);
    };
    service.context.parts.metrics.registry.registerMetric(
      new Gauge({ name: 'collections', help: '-', registers: [], collect }),
    );
  });
  afterAll(() => service.remove());

  const scrape = async () => {
    const before = collections;
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return { before, seen: Number(/^collections (\d+)$/m.exec(text)?.[1]) };
  };

  it('is collected a few times for a crowd that asks at once', async () => {
    const seen = await Promise.all(Array.from({ length: SCRAPES }, scrape));

    expect(collections).toBeLessThan(SCRAPES / 4);
    // Nobody gets what was collected before it asked.
    expect(seen.filter(({ before, seen: number }) => number <= before)).toEqual([]);
  });

  it('is new at each scrape of one who asks now and then', async () => {
    const first = await scrape();
    const second = await scrape();

    expect(second.seen).toBe(first.seen + 1);
  });
});
