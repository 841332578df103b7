import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

const PIECE_BYTES = 1024 * 1024;

/** A small file system of its own at a folder. */
export class SmallDisk {
  readonly #ballast: string;

  private constructor(private readonly folder: string) {
    this.#ballast = join(folder, 'ballast');
  }

  /** `null` where nothing may be mounted. */
  static mount(folder: string, bytes: number): SmallDisk | null {
    const options = ['-t', 'tmpfs', '-o', `size=${bytes},mode=755`, 'tmpfs', folder];
    try {
      execFileSync('mount', options, { stdio: 'pipe' });
      return new SmallDisk(folder);
    } catch {
      return null;
    }
  }

  /** Leaves no byte. */
  fill(): void {
    const piece = Buffer.alloc(PIECE_BYTES);
    try {
      for (;;) appendFileSync(this.#ballast, piece);
    } catch {
      // Now it is full: the last piece was written as far as it went.
    }
  }

  async makeRoom(): Promise<void> {
    await rm(this.#ballast, { force: true });
  }

  /** Also while somebody else looks into it. */
  unmount(): void {
    execFileSync('umount', ['--lazy', this.folder]);
  }
}
