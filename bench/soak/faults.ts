import { setTimeout as pause } from 'node:timers/promises';

import type { Load } from './load.js';
import type { Pace, Trouble } from './trouble.js';
import type { SoakWorld } from './world.js';

const HOUR_SECONDS = 3600;
/** Beyond the life of a preview and of its media, before keys and tokens expire. */
const DAYS_AHEAD = 4;

/** Something goes wrong, lasts as long as `away` takes, and is mended again. */
interface Fault {
  /** `null`: nobody may notice. */
  trouble: Trouble | null;
  isPossible(world: SoakWorld): boolean;
  /** Previews may expire meanwhile. */
  outlivesPreviews?: boolean;
  happen(world: SoakWorld, away: () => Promise<void>): Promise<void>;
}

const FAULTS: Record<string, Fault> = {
  'the clock is four days ahead': turned(DAYS_AHEAD * 24 * HOUR_SECONDS),
  'web sites stall': stopped('origins', ({ pages }) => pages.origin.pid),
  'servers stall and their name servers are silent': stopped('origins', ({ keys }) => keys.pid),
  'the disk of the database is full': {
    trouble: 'disk',
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
    trouble: 'store',
    isPossible: ({ postgres }) => postgres !== null,
    happen: async ({ postgres }, away) => {
      await postgres?.stop();
      await away();
      await postgres?.start();
    },
  },
  'the database hangs': {
    trouble: 'store',
    isPossible: ({ postgres }) => postgres !== null,
    happen: async ({ postgres }, away) => {
      postgres?.freeze();
      await away();
      postgres?.thaw();
    },
  },
  'object storage is away': {
    trouble: 'store',
    isPossible: ({ objects }) => objects !== null,
    happen: async ({ objects }, away) => {
      await objects?.stop();
      await away();
      await objects?.start();
    },
  },
  'object storage hangs': {
    trouble: 'store',
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
    trouble: null,
    isPossible: ({ canTurnClock }) => canTurnClock,
    outlivesPreviews: seconds > 0,
    happen: async (world, away) => {
      world.turnClock(seconds);
      // Long enough for the cleanup (SPEC §8).
      for (let times = 0; times < 3; times += 1) await away();
      world.turnClock(0);
    },
  };
}

/** A process that takes connections and questions and answers none. */
function stopped(trouble: Trouble, pidOf: (world: SoakWorld) => number): Fault {
  return {
    trouble,
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
      await (fault.trouble === null ? happen() : load.during(fault.trouble, happen));
      if (fault.outlivesPreviews === true) load.forgetPreviews();
      happened[name] = (happened[name] ?? 0) + 1;
      await pause(pace.healingMs + pace.calmMs);
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
