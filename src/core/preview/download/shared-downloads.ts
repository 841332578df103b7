import { abortable, Deadline } from '../../base/deadline.js';
import { JoinedAskers } from '../../base/places/asker.js';
import type { Download, DownloadRequest } from './download.js';
import { deadlineError } from './http-client.js';
import type { HopTarget } from './redirect-target.js';

/** Fetches one address for one request. */
export type RunDownload = (target: HopTarget, request: DownloadRequest) => Promise<Download>;

interface Flight {
  readonly members: Set<DownloadRequest>;
  readonly askers: JoinedAskers;
  /** Addresses it was redirected to so far. */
  readonly hops: string[];
  readonly cancellation: AbortController;
  readonly outcome: Promise<Download>;
  /** There is nothing left to cancel. */
  isOver: boolean;
  readonly sharing: Sharing;
}

/** Apart from the flight, which holds the body: whoever asks may have let go of that. */
interface Sharing {
  /** Somebody has joined who did not start it. */
  isJoined: boolean;
  /** Somebody may yet. */
  isOpen: boolean;
}

/** Longest delay of a timer; the limit that counts is the member's own signal. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/**
 * One fetch per address and kind at a time, for any number of askers; nothing is kept once it is over. Every asker judges
 * every hop and brings his own turn. One that gives up harms no other, and the fetch ends when the last has gone.
 */
export class SharedDownloads {
  readonly #flights = new Map<string, Flight>();

  constructor(private readonly run: RunDownload) {}

  /** The outcome of the fetch under way, or of a new one. The body is shared: nobody may change it. */
  async join(target: HopTarget, request: DownloadRequest): Promise<Download> {
    const key = `${request.kind} ${target.url.href}`;
    const running = this.#flights.get(key);
    const flight = running ?? this.#start(key, target, request);
    const { sharing } = flight;
    if (running !== undefined) sharing.isJoined = true;
    const unlink = flight.askers.join(request.asker);
    flight.members.add(request);
    try {
      if (running !== undefined) await catchUp(flight, request);
      const download = await untilCancelled(flight.outcome, request.signal);
      return { ...download, isShared: () => sharing.isJoined || sharing.isOpen };
    } finally {
      unlink();
      flight.members.delete(request);
      if (flight.members.size === 0) this.#end(key, flight);
    }
  }

  #start(key: string, target: HopTarget, { kind, asker }: DownloadRequest): Flight {
    const members = new Set<DownloadRequest>();
    const askers = new JoinedAskers(asker);
    const hops: string[] = [];
    const cancellation = new AbortController();
    const request: DownloadRequest = {
      url: target.text,
      kind,
      allowDataUrls: false,
      asker: askers,
      signal: cancellation.signal,
      onHop: async (hop) => {
        hops.push(hop);
        for (const member of members) await member.onHop?.(hop);
      },
    };
    const outcome = this.run(target, request);
    const flight: Flight = {
      members,
      askers,
      hops,
      cancellation,
      outcome,
      isOver: false,
      sharing: { isJoined: false, isOpen: true },
    };
    const end = (): void => void (flight.isOver = true);
    outcome.then(end, end);
    this.#flights.set(key, flight);
    return flight;
  }

  #end(key: string, flight: Flight): void {
    if (!flight.isOver) flight.cancellation.abort();
    flight.sharing.isOpen = false;
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}

async function catchUp(flight: Flight, request: DownloadRequest): Promise<void> {
  for (const hop of Array.from(flight.hops)) await request.onHop?.(hop);
}

async function untilCancelled(outcome: Promise<Download>, signal?: AbortSignal): Promise<Download> {
  const limit = new Deadline(NO_LIMIT_MS, signal);
  try {
    return await abortable<Download>(limit.signal, (resolve, reject) => {
      outcome.then(resolve, reject);
      return () => reject(deadlineError(limit, 'headers'));
    });
  } finally {
    limit.close();
  }
}
