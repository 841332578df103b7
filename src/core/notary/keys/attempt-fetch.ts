import type { Clock } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import type { FairQueue, QueueTicket } from '../../base/fair-queue.js';
import type { Logger } from '../../base/logger.js';
import { addressGroup } from '../../net/address/address-client.js';
import type { FetchStep } from '../federation/fetch-trace.js';
import { recordErrorEvent } from './key-changes.js';
import type { KeyFetcher } from './key-fetcher.js';
import type { RefreshRequest } from './key-refresher.js';
import type { FetchOutcome } from './saving/outcome-saver.js';
import { afterFailure, afterSuccess, type BackoffSettings, type ServerHealth } from './server-health.js';

interface AttemptParts {
  fetcher: KeyFetcher;
  queue: FairQueue;
  backoff: BackoffSettings;
  clock: Clock;
  logger: Logger;
  health: ServerHealth;
  /** Called when it begins to wait for a slot. */
  onTicket: (ticket: QueueTicket) => void;
}

/**
 * One fetch with all that it leaves behind: looks the host up, waits for a slot, fetches the record and checks it.
 * `null` without a slot. Never rejects.
 */
export async function attemptFetch(
  request: RefreshRequest,
  parts: AttemptParts,
): Promise<FetchOutcome | null> {
  const { fetcher, queue, clock, health, onTicket } = parts;
  const { serverName, client } = request;
  const steps: FetchStep[] = [];
  const trace = { step: (step: FetchStep) => void steps.push(step) };
  const attempt = { startedTs: clock.now(), steps };
  let ticket: QueueTicket | null = null;
  try {
    // Before it takes a slot: silent name servers would hold all of them.
    const address = await fetcher.client.lookUpHost(serverName, { trace, client });
    const group = address === null ? '' : addressGroup(address);
    ticket = queue.enter({ client: client ?? `server:${serverName}`, group });
    onTicket(ticket);
    if (!(await ticket.admitted)) return null;
    attempt.startedTs = clock.now();
    const isFirst = health.lastOkTs === null;
    const fetched = await fetcher.fetch(serverName, trace, { client, isKnown: !isFirst });
    const { startedTs } = attempt;
    return {
      entry: entryOf(request, attempt, clock.now()),
      health: afterSuccess(health, startedTs),
      fetched: { ...fetched, fetchedTs: startedTs },
      events: [],
      isFirst,
    };
  } catch (error) {
    return failed(request, attempt, { ...parts, error });
  } finally {
    ticket?.leave();
  }
}

interface Attempt {
  /** POSIX ms. */
  startedTs: number;
  steps: FetchStep[];
}

function failed(
  request: RefreshRequest,
  attempt: Attempt,
  { error, health, backoff, clock, logger }: AttemptParts & { error: unknown },
): FetchOutcome {
  const failure = error instanceof ApiError ? error : new ApiError(502, 'Key fetch failed');
  if (failure !== error) logger.error({ server_name: request.serverName, err: error }, 'key fetch broke');
  const reason = failure.reason ?? 'internal';
  const message = failure.detail ?? failure.message;
  const event = recordErrorEvent(reason, message);
  const endedTs = clock.now();
  return {
    entry: { ...entryOf(request, attempt, endedTs), outcome: 'failed', reason, message },
    health: afterFailure(health, { startedTs: attempt.startedTs, endedTs, reason, message }, backoff),
    fetched: null,
    events: event === null ? [] : [event],
  };
}

function entryOf(
  { serverName, cause }: RefreshRequest,
  { startedTs, steps }: Attempt,
  endedTs: number,
): FetchOutcome['entry'] {
  const durationMs = Math.max(0, endedTs - startedTs);
  return { serverName, startedTs, durationMs, steps, cause, outcome: 'ok', reason: null, message: null };
}
