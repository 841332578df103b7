import { setTimeout as pause } from 'node:timers/promises';

import type { Load } from './load.js';
import type { Pace, Outage } from './outage.js';
import type { SoakWorld } from './world.js';

const HOUR_SECONDS = 3600;

/** Something goes wrong, lasts as long as `away` takes, and is mended again. */
interface Fault {
  /** What is away by it; `null`: nobody may notice. */
  outage(world: SoakWorld): Outage | null;
  isPossible(world: SoakWorld): boolean;
  /** Previews of before expire meanwhile, or those made meanwhile when it is over. */
  outlivesPreviews?: boolean;
  happen(world: SoakWorld, away: () => Promise<void>): Promise<void>;
}

const FAULTS: Record<string, Fault> = {
  'the clock is two hours ahead': turned(2 * HOUR_SECONDS),
  'web sites stall': stopped('origins', ({ pages }) => pages.origin.pid),
  'servers stall and their name servers are silent': stopped('origins', ({ keys }) => keys.pid),
  'the disk of the database is full': {
    outage: () => 'disk',
    isPossible: ({ disk }) => disk !== null,
    happen: async (world, away) => {
      world.disk?.fill();
      await away();
      await world.disk?.makeRoom();
      // It ends when it cannot write its log.
      await world.postgres?.start();
    },
  },
  'the clock is an hour late': turned(-HOUR_SECONDS),
  'the database stops at once': {
    outage: () => 'store',
    isPossible: ({ postgres }) => postgres !== null,
    happen: async ({ postgres }, away) => {
      await postgres?.stop();
      await away();
      await postgres?.start();
    },
  },
  'the database hangs': {
    outage: () => 'store',
    isPossible: ({ postgres }) => postgres !== null,
    happen: async ({ postgres }, away) => {
      postgres?.freeze();
      await away();
      postgres?.thaw();
    },
  },
  'object storage is away': {
    outage: () => 'store',
    isPossible: ({ objects }) => objects !== null,
    happen: async ({ objects }, away) => {
      await objects?.stop();
      await away();
      await objects?.start();
    },
  },
  'object storage hangs': {
    outage: () => 'store',
    isPossible: ({ objects }) => objects !== null,
    happen: async ({ objects }, away) => {
      objects?.freeze();
      await away();
      objects?.thaw();
    },
  },
};

function turned(seconds: number): Fault {
  return {
    // Its signatures are refused by a store with another time.
    outage: ({ objects }) => (objects === null ? null : 'store'),
    isPossible: ({ canTurnClock }) => canTurnClock,
    outlivesPreviews: true,
    happen: async (world, away) => {
      world.turnClock(seconds);
      // Long enough for the cleanup (SPEC §8).
      for (let times = 0; times < 3; times += 1) await away();
      world.turnClock(0);
    },
  };
}

/** A process that takes connections and questions and answers none. */
function stopped(outage: Outage, pidOf: (world: SoakWorld) => number): Fault {
  return {
    outage: () => outage,
    isPossible: () => true,
    happen: async (world, away) => {
      process.kill(pidOf(world), 'SIGSTOP');
      await away();
      process.kill(pidOf(world), 'SIGCONT');
    },
  };
}

/**
 * One fault after the other until the time is over; how often each happened. After each, what it may leave heals, and
 * then nothing is excused for a while.
 */
export async function causeFaults(
  world: SoakWorld,
  load: Load,
  { pace, untilMs }: { pace: Pace; untilMs: number },
): Promise<Record<string, number>> {
  const happened: Record<string, number> = {};
  const possible = Object.entries(FAULTS).filter(([, fault]) => fault.isPossible(world));
  await pause(pace.calmMs);
  for (;;)
    for (const [name, fault] of possible) {
      if (performance.now() >= untilMs) return happened;
      const happen = () => fault.happen(world, () => pause(pace.awayMs));
      const outage = fault.outage(world);
      await (outage === null ? happen() : load.during(outage, happen));
      if (fault.outlivesPreviews === true) load.forgetPreviews();
      happened[name] = (happened[name] ?? 0) + 1;
      await pause(pace.recoveryMs + pace.calmMs);
    }
}

/** Kills the server at a random moment of its work, again and again. */
export async function killOften(world: SoakWorld, load: Load, kills: number): Promise<void> {
  await load.during('server', async () => {
    for (let killed = 0; killed < kills; killed += 1) {
      await pause(100 + Math.random() * 1400);
      await world.kill();
      await world.restart();
    }
  });
}
