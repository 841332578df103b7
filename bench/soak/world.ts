import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import {
  objectStoreMissing,
  startObjectStore,
  type ObjectStore,
} from '../../tests/support/s3/object-store.js';
import { startPostgresServer, type PostgresServer } from '../../tests/support/store/postgres-server.js';
import { startKeyWorld, type KeyWorld } from '../support/key-world.js';
import { createToken, startPreviewWorld, type PreviewWorld } from '../support/preview-world.js';
import { startVidimus, type VidimusProcess } from '../support/vidimus-process.js';

export type Engine = 'sqlite' | 'postgresql';

const LOG_CHARACTERS = 8000;
const DISK_BYTES = 512 * 1024 * 1024;
const FAKE_TIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

/** The server, everything it depends on, and the means to take these away. */
export class SoakWorld {
  /** Parts of the world that could not be had, one sentence each. */
  readonly leftOut: string[] = [];
  server: VidimusProcess | null = null;
  previewToken = '';
  adminToken = '';
  keys!: KeyWorld;
  pages!: PreviewWorld;
  postgres: PostgresServer | null = null;
  objects: ObjectStore | null = null;
  #settings: Record<string, unknown> = {};
  #isMounted = false;
  readonly #data: string;
  readonly #clockFile: string;

  private constructor(
    folder: string,
    readonly engine: Engine,
  ) {
    this.#data = join(folder, 'data');
    this.#clockFile = join(folder, 'clock');
  }

  /** On PostgreSQL the media are in object storage where there is any; on SQLite everything is on one small disk. */
  static async start(folder: string, engine: Engine): Promise<SoakWorld> {
    const world = new SoakWorld(folder, engine);
    try {
      await world.#begin(folder);
      return world;
    } catch (error) {
      await world.end();
      throw error;
    }
  }

  /** Starts the server on what an earlier one has left. */
  async restart(): Promise<void> {
    const fake = existsSync(FAKE_TIME)
      ? {
          LD_PRELOAD: FAKE_TIME,
          FAKETIME_TIMESTAMP_FILE: this.#clockFile,
          FAKETIME_CACHE_DURATION: '1',
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
        }
      : {};
    this.server = await startVidimus({
      folder: this.#data,
      settings: {
        ...this.#settings,
        url_preview_ip_range_whitelist: ['127.0.0.0/8'],
      },
      env: fake,
      hasAdmin: true,
    });
  }

  /** Ends the server at once; resolves when it is gone. */
  async kill(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (server === null) return;
    const outcome = server.outcome();
    if (outcome !== null) {
      const log = readFileSync(join(this.#data, 'vidimus.log'), 'utf8');
      throw new Error(`the server ended by itself with ${outcome}:\n${log.slice(-LOG_CHARACTERS)}`);
    }
    process.kill(server.pid, 'SIGKILL');
    await server.stop();
  }

  /** The clock of the server from now on, beside the machine's. */
  turnClock(seconds: number): void {
    writeFileSync(this.#clockFile, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}\n`);
  }

  get canTurnClock(): boolean {
    return existsSync(FAKE_TIME);
  }

  /** Leaves no byte on the disk of the server; false where it has none of its own. */
  fillDisk(): boolean {
    if (!this.#isMounted) return false;
    const { bavail, bsize } = statfsSync(this.#data);
    try {
      writeFileSync(join(this.#data, 'ballast'), Buffer.alloc(bavail * bsize));
    } catch {
      // Somebody else has taken the last block.
    }
    return true;
  }

  async makeRoom(): Promise<void> {
    await rm(join(this.#data, 'ballast'), { force: true });
  }

  /** Bytes of SQLite's write-ahead log; 0 where there is none. */
  async walBytes(): Promise<number> {
    return stat(join(this.#data, 'vidimus.db-wal')).then(
      ({ size }) => size,
      () => 0,
    );
  }

  /** Unfinished downloads and thumbnails that lie about. */
  async temporaryFiles(): Promise<number> {
    const names = await readdir(join(this.#data, 'media'), { recursive: true }).catch(() => []);
    return names.filter((name) => name.includes('.tmp')).length;
  }

  async end(): Promise<void> {
    await this.server?.stop();
    await this.keys?.end();
    await this.pages?.end();
    await this.postgres?.remove();
    await this.objects?.remove();
    if (this.#isMounted) execFileSync('umount', [this.#data]);
  }

  async #begin(folder: string): Promise<void> {
    mkdirSync(this.#data);
    this.#mount();
    // What the full disk did is told by the log.
    symlinkSync(join(folder, 'vidimus.log'), join(this.#data, 'vidimus.log'));
    this.keys = await startKeyWorld((pem) => {
      writeFileSync(join(folder, 'ca.pem'), pem);
      return join(folder, 'ca.pem');
    });
    this.pages = await startPreviewWorld();
    this.#settings = { ...this.keys.settings, ...(await this.#stores()) };
    this.turnClock(0);
    if (!this.canTurnClock)
      this.leftOut.push('clock jumps: libfaketime is missing (Debian package faketime)');
    await this.restart();
    this.previewToken = createToken({ folder: this.#data });
    this.adminToken = createToken({ folder: this.#data }, ['--scope', 'admin_read']);
  }

  #mount(): void {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', this.#data], {
        stdio: 'pipe',
      });
      this.#isMounted = true;
    } catch {
      this.leftOut.push('a full disk: no file system may be mounted here');
    }
  }

  async #stores(): Promise<Record<string, unknown>> {
    // The disk is to be filled to its end.
    const onDisk = { media: { min_free_space: 0 } };
    if (this.engine === 'sqlite') return onDisk;
    this.postgres = await startPostgresServer();
    const database = { engine: 'postgresql', url: this.postgres.url() };
    const missing = objectStoreMissing();
    if (missing !== null) {
      this.leftOut.push(`object storage: ${missing}`);
      return { database, ...onDisk };
    }
    this.objects = await startObjectStore();
    return { database, media: { storage: 's3', s3: await this.objects.makeBucket('media') } };
  }
}
