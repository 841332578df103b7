import { z } from 'zod';

import { ApiError, type Errcode } from '../../base/errors/api-error.js';
import { isRefusal } from '../../base/errors/outbound-error.js';
import {
  ALONE,
  JUST_DONE_MS,
  type OwnTurn,
  type WorkLeases,
  type WorkOutcome,
} from '../../store/instances/work-leases.js';
import { urlSha256 } from './preview-store.js';

export interface SharedMakingOptions {
  leases: WorkLeases;
  /** As of `PreviewCache`. */
  failureLifetimeMs(error: unknown): number;
}

/** How the one who is to make it does so. */
export interface PreviewMaking {
  /** What is stored now; `null` when nothing can be used. */
  findStored(): Promise<Buffer | null>;
  /** `isStored`: whether others find it in the store. */
  make(): Promise<{ body: Buffer; isStored: boolean }>;
}

/** With what the leases of previews begin. */
export const PREVIEW_LEASES = 'preview:';

const STORED = '{}';

/** A failure that another instance ran into. */
export class ToldFailure extends ApiError {
  constructor(
    { status, message, ...options }: z.infer<typeof FAILURE>,
    /** How long it is remembered there. */
    readonly remainingMs: number,
  ) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `outcomeOf`
    super(status, message, { ...options, errcode: options.errcode as Errcode });
  }
}

const FAILURE = z.object({
  status: z.int().min(400).max(599),
  message: z.string(),
  errcode: z.string(),
  reason: z.string().optional(),
  detail: z.string().optional(),
  address: z.string().optional(),
  originStatus: z.int().optional(),
  isRemote: z.boolean(),
  extra: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).readonly()])),
});

/** Makes a preview once for all instances. */
export class SharedMaking {
  constructor(private readonly options: SharedMakingOptions) {}

  /**
   * Makes it unless another instance is at it, whose result or failure is taken. Rejects as `make` does, and with the
   * reason of the signal while it waits.
   */
  async make(url: string, signal: AbortSignal, making: PreviewMaking): Promise<Buffer> {
    const turn = await this.options.leases.begin(previewLease(url), signal);
    if (turn.told === null) return this.#makeInTurn(turn, making);
    const failure = FAILURE.safeParse(JSON.parse(turn.told));
    if (failure.success) throw new ToldFailure(failure.data, turn.remainingMs);
    // It may be gone again, or be of no use for the time that is asked for.
    return (await making.findStored()) ?? this.#makeInTurn(ALONE, making);
  }

  async #makeInTurn(turn: OwnTurn, making: PreviewMaking): Promise<Buffer> {
    let outcome: WorkOutcome | null = null;
    try {
      const stored = turn.isTakenOver ? await making.findStored() : null;
      const { body, isStored } = stored === null ? await making.make() : { body: stored, isStored: true };
      if (isStored) outcome = { text: STORED, lifetimeMs: JUST_DONE_MS };
      return body;
    } catch (error) {
      outcome = this.#outcomeOf(error);
      throw error;
    } finally {
      turn.end(outcome);
    }
  }

  /**
   * `null` for what says nothing of the address. Others are told of a refusal while it is news alone: at any later time
   * it may be from before a rule was changed.
   */
  #outcomeOf(error: unknown): WorkOutcome | null {
    const memoryMs = this.options.failureLifetimeMs(error);
    const lifetimeMs = isRefusal(error) ? Math.min(memoryMs, JUST_DONE_MS) : memoryMs;
    if (!(error instanceof ApiError) || lifetimeMs === 0) return null;
    const { status, message, errcode, reason, detail, address, originStatus, isRemote, extra } = error;
    const failure: z.infer<typeof FAILURE> = {
      status,
      message,
      errcode,
      isRemote,
      extra,
      ...(reason === null ? {} : { reason }),
      ...(detail === null ? {} : { detail }),
      ...(address === null ? {} : { address }),
      ...(originStatus === null ? {} : { originStatus }),
    };
    return { text: JSON.stringify(failure), lifetimeMs };
  }
}

export function previewLease(url: string): string {
  return PREVIEW_LEASES + urlSha256(url);
}
