import { ApiError } from '../../base/errors/api-error.js';
import type { JobRun } from '../../job-runner/job-run.js';
import type { JobRunner } from '../../job-runner/job-runner.js';
import { DeletedNames, type DeletedDetail } from './deleted-names.js';
import { RunProgress } from '../../job-runner/run-progress.js';

/** What is to be deleted: some by key, or all that a filter lets through. */
export type Selection<Key, Filter> = { keys: readonly Key[] } | { filter: Filter };

/** One request to delete. */
export interface DeletionRequest<Key, Filter> {
  selection: Selection<Key, Filter>;
  /** Nothing is deleted: only the number is wanted. */
  dryRun: boolean;
  /** What a dry run gave; demanded with a filter. */
  expectedCount: number | null;
  /** Name of the operator. */
  actor: string;
  /** Told what is gone when a run in the background has ended, however it did. */
  onRunEnd?: (deleted: DeletedDetail) => Promise<void>;
  signal?: AbortSignal;
}

/** What became of it. */
export interface DeletionReport<Key> {
  matched: number;
  /** Keys of what is gone; empty when a run goes on with it. */
  deleted: Key[];
  /** What is gone, for audit; `null` when nothing was to be deleted, or a run goes on with it. */
  names: DeletedDetail | null;
  freedBytes: number;
  /** One sentence on files that could not be removed, whose rows stay; `null` when there are none. */
  error: string | null;
  /** The run that goes on in the background. */
  run: JobRun | null;
}

/** How one kind of thing is found and deleted. */
export interface Deletable<Key, Filter> {
  /** Name of the job for many of them. */
  job: string;
  /** Those of the keys that exist. */
  existing: (keys: readonly Key[]) => Promise<Key[]>;
  /** All that a filter lets through, to the last one. */
  countAll: (filter: Filter, signal?: AbortSignal) => Promise<number>;
  /** The same in batches; what is deleted meanwhile does not disturb it. */
  batches: (filter: Filter) => AsyncIterable<readonly Key[]>;
  /** Addresses or ids of those of the keys that exist. */
  names: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, string>>;
  /** Deletes one batch; resolves to the keys that are gone. */
  remove: (keys: readonly Key[], progress: RunProgress) => Promise<Key[]>;
}

/** How many there are, and who is told of what is gone: names, and keys where somebody wants them. */
interface DeletionWork<Key> {
  matched: number;
  names: DeletedNames;
  gone?: Key[];
}

/** More than this become a run in the background. */
const MAX_AT_ONCE = 500;
/** Deleted together. */
export const DELETION_BATCH = 100;

/**
 * Deletes on an operator's request. Throws `ApiError` 400 with the reason `count_missing` for a filter without an
 * expected count, 409 with `count_mismatch` when another number matches: then nothing is deleted.
 */
export class BulkDeletion<Key, Filter> {
  constructor(
    private readonly deletable: Deletable<Key, Filter>,
    private readonly runner: JobRunner,
  ) {}

  /** Name of its job. */
  get job(): string {
    return this.deletable.job;
  }

  async request(request: DeletionRequest<Key, Filter>): Promise<DeletionReport<Key>> {
    const { dryRun, expectedCount, actor } = request;
    const selection = await this.#existing(request.selection);
    const matched = 'keys' in selection ? selection.keys.length : await this.count(selection, request.signal);
    const nothing = { matched, deleted: [], names: null, freedBytes: 0, error: null, run: null };
    if (dryRun) return nothing;
    if ('filter' in selection && expectedCount === null) throw countMissing();
    if (expectedCount !== null && expectedCount !== matched) throw countMismatch(expectedCount, matched);
    if (matched === 0) return nothing;
    if (matched <= MAX_AT_ONCE) return this.#now({ ...request, selection }, matched);
    const { run } = await this.runner.start({
      job: this.job,
      actor,
      cause: 'operator',
      work: async ({ progress }) => {
        const names = new DeletedNames();
        try {
          await this.#delete(selection, progress, { matched, names });
        } finally {
          await request.onRunEnd?.(names.detail);
        }
      },
    });
    return { ...nothing, run };
  }

  /** Deletes everything selected, with progress. There may be millions: only `gone` may keep the keys. */
  async #delete(
    selection: Selection<Key, Filter>,
    progress: RunProgress,
    { matched, names, gone: toldGone }: DeletionWork<Key>,
  ): Promise<void> {
    progress.total = matched;
    for await (const batch of this.#batches(selection)) {
      await progress.checkpoint();
      const nameOf = await this.deletable.names(batch);
      const gone = await this.deletable.remove(batch, progress);
      const isGone = new Set(gone);
      for (const key of batch) if (isGone.has(key)) names.add(nameOf.get(key) ?? String(key));
      toldGone?.push(...gone);
      progress.done += batch.length;
    }
  }

  /** How much is selected, to the last one. */
  async count(selection: Selection<Key, Filter>, signal?: AbortSignal): Promise<number> {
    if ('filter' in selection) return this.deletable.countAll(selection.filter, signal);
    return (await this.deletable.existing(selection.keys)).length;
  }

  async #now(request: DeletionRequest<Key, Filter>, matched: number): Promise<DeletionReport<Key>> {
    const progress = new RunProgress(request.signal ?? new AbortController().signal, async () => true);
    const deleted: Key[] = [];
    const names = new DeletedNames();
    await this.#delete(request.selection, progress, { matched, names, gone: deleted });
    return {
      matched,
      deleted,
      names: names.detail,
      freedBytes: progress.bytes,
      error: progress.fileErrorText,
      run: null,
    };
  }

  /** Keys of nothing are left out, and none stands twice. */
  async #existing(selection: Selection<Key, Filter>): Promise<Selection<Key, Filter>> {
    return 'keys' in selection ? { keys: await this.deletable.existing(selection.keys) } : selection;
  }

  async *#batches(selection: Selection<Key, Filter>): AsyncGenerator<readonly Key[]> {
    if ('filter' in selection) {
      yield* this.deletable.batches(selection.filter);
      return;
    }
    for (let at = 0; at < selection.keys.length; at += DELETION_BATCH) {
      yield selection.keys.slice(at, at + DELETION_BATCH);
    }
  }
}

function countMissing(): ApiError {
  const message = 'Deleting by filter needs the expected count of a dry run';
  return new ApiError(400, message, { errcode: 'M_MISSING_PARAM', reason: 'count_missing' });
}

function countMismatch(expected: number, matched: number): ApiError {
  const message = `${matched} match now, not ${expected}; nothing was deleted`;
  return new ApiError(409, message, { reason: 'count_mismatch', extra: { matched } });
}
