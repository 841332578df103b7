import type { Load } from './load.js';
import type { SoakWorld } from './world.js';

const AWAY_MS = 5000;
const HOUR_SECONDS = 3600;

/** Something goes wrong, and is mended again; false: it cannot happen in this world. */
type Fault = (world: SoakWorld) => Promise<boolean>;

const FAULTS: Record<string, Fault> = {
  'the database stops at once': async ({ postgres }) => {
    if (postgres === null) return false;
    await postgres.stop();
    await pause(AWAY_MS);
    await postgres.start();
    return true;
  },
  'the database hangs': async ({ postgres }) => {
    if (postgres === null) return false;
    postgres.freeze();
    await pause(AWAY_MS);
    postgres.thaw();
    return true;
  },
  'object storage is away': async ({ objects }) => {
    if (objects === null) return false;
    await objects.stop();
    await pause(AWAY_MS);
    await objects.start();
    return true;
  },
  'object storage hangs': async ({ objects }) => {
    if (objects === null) return false;
    objects.freeze();
    await pause(AWAY_MS);
    objects.thaw();
    return true;
  },
  'the disk is full': async (world) => {
    if (!world.fillDisk()) return false;
    await pause(AWAY_MS);
    await world.makeRoom();
    return true;
  },
  'the clock is two hours ahead': (world) => turn(world, 2 * HOUR_SECONDS),
  'the clock is an hour late': (world) => turn(world, -HOUR_SECONDS),
};

async function turn(world: SoakWorld, seconds: number): Promise<boolean> {
  if (!world.canTurnClock) return false;
  world.turnClock(seconds);
  await pause(AWAY_MS);
  world.turnClock(0);
  return true;
}

/** One fault after the other, with rest between, until the time is over; how often each happened. */
export async function causeFaults(
  world: SoakWorld,
  load: Load,
  untilMs: number,
): Promise<Record<string, number>> {
  const happened: Record<string, number> = {};
  const possible = new Set(Object.keys(FAULTS));
  while (performance.now() < untilMs && possible.size > 0) {
    for (const name of possible) {
      await load.during(async () => {
        if ((await FAULTS[name]?.(world)) === true) happened[name] = (happened[name] ?? 0) + 1;
        else possible.delete(name);
      });
      if (possible.has(name)) await pause(AWAY_MS);
    }
  }
  return happened;
}

/** Kills the server at a random moment of its work, again and again. */
export async function killOften(world: SoakWorld, load: Load, kills: number): Promise<void> {
  await load.during(async () => {
    for (let killed = 0; killed < kills; killed += 1) {
      await pause(100 + Math.random() * 1400);
      await world.kill();
      await world.restart();
    }
  });
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
