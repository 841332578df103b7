import { z } from 'zod';

import {
  ALONE,
  JUST_DONE_MS,
  type OwnTurn,
  type WorkLeases,
  type WorkTurn,
} from '../../../store/instances/work-leases.js';
import type { RefreshRequest } from './refresh-request.js';

const OUTCOME = z.object({ outcome: z.enum(['ok', 'failed']) });

/** How the fetch of another instance ended. */
export type ToldOutcome = z.infer<typeof OUTCOME>['outcome'];

/** The turn of one instance to ask an origin. */
export class SharedFetches {
  constructor(private readonly leases: WorkLeases) {}

  /**
   * Our turn, or how the fetch that another instance was at has ended; what it brought is in the store then. An
   * operator's fetch waits for nobody. Rejects when the store is away.
   */
  async begin({ serverName, cause }: RefreshRequest): Promise<OwnTurn | ToldOutcome> {
    if (cause === 'operator') return ALONE;
    const turn: WorkTurn = await this.leases.begin(`keys:${serverName}`);
    return turn.told === null ? turn : OUTCOME.parse(JSON.parse(turn.told)).outcome;
  }

  /** Tells the others how it ended, when they find in the store what it brought; after `null` the next one fetches. */
  end(turn: OwnTurn, outcome: string | null): void {
    const told = OUTCOME.safeParse({ outcome });
    turn.end(told.success ? { text: JSON.stringify(told.data), lifetimeMs: JUST_DONE_MS } : null);
  }
}
