import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode, writeNewFile, writeWholeFile } from '../files.js';
import { EMPTY_ROOT } from '../tree/hashes.js';

/** Another's log as we last cosigned it; of size 0 before the first time. */
export interface CosignedLog {
  size: number;
  root: Buffer;
  /** The signed note with our cosignature; empty before the first one. */
  checkpoint: string;
  /** When it was cosigned, POSIX ms. */
  cosignedTs: number;
  /** The first checkpoint that contradicts the one we cosigned; `null`: none was seen. */
  conflict: string | null;
}

interface StoredLog extends Omit<CosignedLog, 'root'> {
  version: 1;
  origin: string;
  root: string;
}

const UNSEEN: CosignedLog = { size: 0, root: EMPTY_ROOT, checkpoint: '', cosignedTs: 0, conflict: null };
const LOCK = 'lock';

/** The state of a witness: a folder with one file for each log. One process at a time may use it. */
export class WitnessFolder {
  private constructor(private readonly path: string) {}

  /** Opens the folder, creating it if needed. Rejects while another process uses it. */
  static async open(path: string): Promise<WitnessFolder> {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await lock(join(path, LOCK));
    return new WitnessFolder(path);
  }

  /** Rejects for a damaged file: without it the witness could cosign a second history. */
  async read(origin: string): Promise<CosignedLog> {
    const path = this.#fileOf(origin);
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return UNSEEN;
    const stored = JSON.parse(text) as StoredLog;
    if (stored.version !== 1 || stored.origin !== origin)
      throw new Error(`${path} is not the state of ${origin}`);
    const { size, checkpoint, cosignedTs, conflict } = stored;
    return { size, root: Buffer.from(stored.root, 'base64'), checkpoint, cosignedTs, conflict };
  }

  /** Replaces what is known of a log; resolves when that is durable. */
  async write(origin: string, { root, ...log }: CosignedLog): Promise<void> {
    const stored: StoredLog = { version: 1, origin, root: root.toString('base64'), ...log };
    await writeWholeFile(this.#fileOf(origin), `${JSON.stringify(stored, null, 2)}\n`);
  }

  /** Lets another process use the folder. */
  async close(): Promise<void> {
    await rm(join(this.path, LOCK), { force: true });
  }

  #fileOf(origin: string): string {
    return join(this.path, `${createHash('sha256').update(origin).digest('hex')}.json`);
  }
}

/** A lock file of a process that has ended, by a crash or a restart of the machine, is replaced. */
async function lock(path: string): Promise<void> {
  for (;;) {
    try {
      await writeNewFile(path, String(process.pid));
      return;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => ''));
    if (holder !== process.pid && isRunning(holder))
      throw new Error(`Process ${holder} uses this folder. If it is not a witness, delete ${path}`);
    await rm(path, { force: true });
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
