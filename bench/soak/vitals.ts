import { handlesOf } from '../support/preview-world.js';
import { residentBytesOf } from '../support/process-usage.js';
import type { SoakWorld } from './world.js';

const INTERVAL_MS = 2000;
const MB = 1024 * 1024;
/** What the last quarter may have more than the third: the caches are still filling. */
const GROWTH = 1.15;
const HANDLES_GROWTH = 40;
const MAX_WAL_MB = 64;

interface Sample {
  residentMb: number;
  handles: number;
  walMb: number;
}

/** Looks at a server as it works: memory, file handles, SQLite's log. */
export class Vitals {
  readonly #samples: Sample[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly world: SoakWorld) {}

  start(): void {
    this.#timer = setInterval(() => void this.#look(), INTERVAL_MS);
  }

  end(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** Medians of the third and the last quarter, and whether they have levelled off. */
  levels(): { text: string; isLevel: boolean } {
    const quarter = Math.floor(this.#samples.length / 4);
    const [third, last] = [this.#samples.slice(-2 * quarter, -quarter), this.#samples.slice(-quarter)];
    if (quarter === 0) return { text: 'too short to tell', isLevel: true };
    const of = (samples: Sample[], figure: keyof Sample) => median(samples.map((sample) => sample[figure]));
    const [memory, handles] = [of(last, 'residentMb'), of(last, 'handles')];
    const wal = Math.max(...this.#samples.map(({ walMb }) => walMb));
    return {
      text:
        `memory ${of(third, 'residentMb').toFixed(0)} then ${memory.toFixed(0)} MB, ` +
        `file handles ${of(third, 'handles')} then ${handles}, write-ahead log at most ${wal.toFixed(1)} MB`,
      isLevel:
        memory <= GROWTH * of(third, 'residentMb') &&
        handles <= of(third, 'handles') + HANDLES_GROWTH &&
        wal <= MAX_WAL_MB,
    };
  }

  async #look(): Promise<void> {
    const { server } = this.world;
    if (server === null) return;
    const [bytes, handles, walBytes] = await Promise.all([
      residentBytesOf(server.pid),
      handlesOf(server.pid),
      this.world.walBytes(),
    ]);
    if (bytes !== null && handles !== null)
      this.#samples.push({ residentMb: bytes / MB, handles, walMb: walBytes / MB });
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
