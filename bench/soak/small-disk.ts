import { execFileSync } from 'node:child_process';
import { statfsSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

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
    const { bavail, bsize } = statfsSync(this.folder);
    try {
      writeFileSync(this.#ballast, Buffer.alloc(bavail * bsize));
    } catch {
      // Somebody else has taken the last block.
    }
  }

  async makeRoom(): Promise<void> {
    await rm(this.#ballast, { force: true });
  }

  unmount(): void {
    execFileSync('umount', [this.folder]);
  }
}
