import { handlesOf } from '../support/preview-world.js';
import { residentBytesOf } from '../support/process-usage.js';
import { countRows } from './rows.js';
import type { Sample } from './verdict.js';
import type { SoakWorld } from './world.js';

const INTERVAL_MS = 2000;
/** Rows are counted and metrics read with every so many looks. */
const LOOKS_A_COUNT = 5;
const METRICS_LIMIT_MS = 1500;
const MB = 1024 * 1024;

/** Looks at a server as it works: memory, file handles, SQLite's log, rows. */
export class Vitals {
  readonly samples: Sample[] = [];
  #timer: NodeJS.Timeout | null = null;
  #looks = 0;
  #isCounting = false;

  constructor(private readonly world: SoakWorld) {}

  start(): void {
    this.#timer = setInterval(() => void this.#look(), INTERVAL_MS);
  }

  end(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const { server } = this.world;
    if (server === null) return;
    const [residentBytes, handles, walBytes] = await Promise.all([
      residentBytesOf(server.pid),
      handlesOf(server.pid),
      this.world.walBytes(),
    ]);
    if (residentBytes === null || handles === null) return;
    const sample: Sample = {
      atMs: performance.now(),
      residentMb: residentBytes / MB,
      heapMb: null,
      externalMb: null,
      handles,
      walMb: walBytes / MB,
      rows: null,
    };
    this.samples.push(sample);
    this.#looks += 1;
    if (this.#looks % LOOKS_A_COUNT !== 1 || this.#isCounting) return;
    this.#isCounting = true;
    Object.assign(sample, { rows: await countRows(this.world.database) }, await heapOf(server.metricsPort));
    this.#isCounting = false;
  }
}

/** Memory of the main thread, in MB; `null` while the metrics cannot be read. */
async function heapOf(metricsPort: number): Promise<Pick<Sample, 'heapMb' | 'externalMb'>> {
  const signal = AbortSignal.timeout(METRICS_LIMIT_MS);
  const text = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { signal })
    .then((answer) => answer.text())
    .catch(() => '');
  const mbOf = (name: string): number | null => {
    const bytes = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1];
    return bytes === undefined ? null : Number(bytes) / MB;
  };
  return { heapMb: mbOf('nodejs_heap_size_used_bytes'), externalMb: mbOf('nodejs_external_memory_bytes') };
}
