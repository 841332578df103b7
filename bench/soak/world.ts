import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import {
  objectStoreMissing,
  startObjectStore,
  type ObjectStore,
} from '../../tests/support/s3/object-store.js';
import { startPostgresServer, type PostgresServer } from '../../tests/support/store/postgres-server.js';
import type { DatabaseOptions } from '../../src/core/store/db.js';
import { startKeyWorld, type KeyWorld } from '../support/key-world.js';
import { createToken, startPreviewWorld, type PreviewWorld } from '../support/preview-world.js';
import { startVidimus, type VidimusProcess } from '../support/vidimus-process.js';
import { countRows } from './rows.js';
import { SmallDisk } from './small-disk.js';
import type { Leftovers } from './verdict.js';

export type Engine = 'sqlite' | 'postgresql';

const LOG_CHARACTERS = 8000;
const DISK_BYTES = 1024 * 1024 * 1024;
/** Its own default is all of that disk. */
const POSTGRES_LOG = '128MB';
const FAKE_TIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

/** The server, everything it depends on, and the means to take these away. */
export class SoakWorld {
  /** Parts of the world that could not be had, one sentence each. */
  readonly leftOut: string[] = [];
  server: VidimusProcess | null = null;
  /** How often it was started. */
  starts = 0;
  previewToken = '';
  adminToken = '';
  keys!: KeyWorld;
  pages!: PreviewWorld;
  postgres: PostgresServer | null = null;
  objects: ObjectStore | null = null;
  /** The database is on it, on SQLite with all else. */
  disk: SmallDisk | null = null;
  database!: DatabaseOptions;
  #settings: Record<string, unknown> = {};
  readonly #data: string;
  readonly #clockFile: string;

  private constructor(
    folder: string,
    readonly engine: Engine,
  ) {
    this.#data = join(folder, 'data');
    this.#clockFile = join(folder, 'clock');
  }

  /**
   * On PostgreSQL the database is on a small disk and media in object storage where there is any; on SQLite all is on
   * one small disk.
   */
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
    this.starts += 1;
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

  /** Bytes of SQLite's write-ahead log; 0 where there is none. */
  async walBytes(): Promise<number> {
    return stat(join(this.#data, 'vidimus.db-wal')).then(
      ({ size }) => size,
      () => 0,
    );
  }

  async leftovers(): Promise<Leftovers> {
    const names = await readdir(join(this.#data, 'media'), { recursive: true }).catch(() => []);
    const temporaryFiles = names.filter((name) => name.includes('.tmp')).length;
    return { atMs: performance.now(), rows: await countRows(this.database), temporaryFiles };
  }

  /** Pages and pictures that web sites were asked for. */
  async downloads(): Promise<number> {
    return (await this.pages.origin.run({})).requests;
  }

  /** Where what the server said is, as long as the soak lasts. */
  get log(): string {
    return join(this.#data, 'vidimus.log');
  }

  /** For good: only what is stored can be answered. */
  stopOrigins(): void {
    for (const { pid } of [this.keys, this.pages.origin]) process.kill(pid, 'SIGSTOP');
  }

  async end(): Promise<void> {
    for (const pid of [this.keys?.pid, this.pages?.origin.pid])
      if (pid !== undefined) process.kill(pid, 'SIGCONT');
    await this.server?.stop();
    await this.keys?.end();
    await this.pages?.end();
    await this.postgres?.remove();
    await this.objects?.remove();
    this.disk?.unmount();
  }

  async #begin(folder: string): Promise<void> {
    mkdirSync(this.#data);
    if (this.engine === 'sqlite') this.#mount(this.#data);
    // What the full disk did is told by the log.
    symlinkSync(join(folder, 'vidimus.log'), join(this.#data, 'vidimus.log'));
    this.keys = await startKeyWorld((pem) => {
      writeFileSync(join(folder, 'ca.pem'), pem);
      return join(folder, 'ca.pem');
    });
    this.pages = await startPreviewWorld();
    this.#settings = { ...this.keys.settings, ...(await this.#stores(folder)) };
    this.turnClock(0);
    if (!this.canTurnClock)
      this.leftOut.push('clock jumps: there is no libfaketime (Debian package libfaketime)');
    await this.restart();
    this.previewToken = createToken({ folder: this.#data });
    this.adminToken = createToken({ folder: this.#data }, ['--scope', 'admin_read']);
  }

  #mount(folder: string): void {
    this.disk = SmallDisk.mount(folder, DISK_BYTES);
    if (this.disk === null) this.leftOut.push('a full disk: no file system may be mounted here');
  }

  async #stores(folder: string): Promise<Record<string, unknown>> {
    if (this.engine === 'sqlite') {
      const path = join(this.#data, 'vidimus.db');
      this.database = { engine: 'sqlite', path, synchronous: 'normal' };
      // The disk is to be filled to its end.
      return { media: { min_free_space: 0 } };
    }
    const place = join(folder, 'database');
    mkdirSync(place);
    // PostgreSQL runs as somebody else where this runs as root.
    chmodSync(folder, 0o711);
    this.#mount(place);
    this.postgres = await startPostgresServer(place, { max_wal_size: POSTGRES_LOG });
    const database = { engine: 'postgresql' as const, url: this.postgres.url() };
    this.database = { ...database, maxConnections: 1 };
    const missing = objectStoreMissing();
    if (missing !== null) {
      this.leftOut.push(`object storage: ${missing}`);
      return { database };
    }
    this.objects = await startObjectStore();
    return { database, media: { storage: 's3', s3: await this.objects.makeBucket('media') } };
  }
}
