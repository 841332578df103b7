import { describe, expect, it } from 'vitest';

import { JoinedAskers, userAsker } from '../../../../src/core/base/places/asker.js';
import {
  FairPlaces,
  type PlaceBound,
  type PlaceLimits,
} from '../../../../src/core/base/places/fair-places.js';

const NEVER = new AbortController().signal;
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Places, who is inside in order of entering, what was refused, and the bounds told. */
function setup(limits: PlaceLimits) {
  const inside: string[] = [];
  const refused: string[] = [];
  const bounds: PlaceBound[] = [];
  const leave = new Map<string, () => void>();
  const places = new FairPlaces({
    ...limits,
    full: (detail) => new Error(detail),
    givenUp: () => new Error('given up'),
    onBound: (bound) => bounds.push(bound),
  });
  const visit = async (name: string, { user, group }: Record<'user' | 'group', string>): Promise<void> => {
    try {
      const back = await places.enter({ asker: userAsker(user, 'q'), group }, NEVER);
      inside.push(name);
      leave.set(name, back);
    } catch {
      refused.push(name);
    }
  };
  /** `alice/host/1`: user, group, name. */
  const enter = async (...names: string[]): Promise<void> => {
    for (const name of names) {
      const [user = '', group = ''] = name.split('/');
      void visit(name, { user, group });
    }
    await settle();
  };
  const end = async (name: string): Promise<void> => {
    leave.get(name)?.();
    await settle();
  };
  return { places, inside, refused, bounds, enter, end };
}

const names = (user: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${user}/h${at}/${at}`);

describe('fair places', () => {
  it('give one asker all but the reserved ones', async () => {
    const { enter, places, bounds } = setup({ maxRunning: 8, reserved: 4, maxWaiting: 100 });
    await enter(...names('alice', 20));
    expect(places.load).toEqual({ running: 8, waiting: 12 });
    expect(new Set(bounds)).toEqual(new Set(['asker']));
  });

  it('give nobody one for whom there is no memory, though he waited already, until there is', async () => {
    const full = new Set<string>();
    const hasMemory = (asker: string): boolean => !full.has(asker);
    const limits = { maxRunning: 2, reserved: 0, maxWaiting: 100, hasMemory };
    const { enter, end, places, inside, bounds } = setup(limits);
    await enter('alice/h/1', 'alice/h/2', 'alice/h/3', 'bob/h/4');
    full.add(userAsker('alice', 'q').key);
    await end('alice/h/1');
    await end('alice/h/2');
    await enter('alice/h/5');
    expect(inside).toEqual(['alice/h/1', 'alice/h/2', 'bob/h/4']);
    expect(bounds).toEqual(['total', 'total', 'memory']);
    full.clear();
    places.admit();
    await settle();
    expect(inside.slice(3)).toEqual(['alice/h/3']);
  });

  it('keep reserved ones for whoever holds few, for many of them', async () => {
    const { enter, inside } = setup({ maxRunning: 8, reserved: 8, maxWaiting: 100 });
    await enter(...names('alice', 20));
    for (const user of ['bob', 'carol', 'dave', 'erin', 'frank']) await enter(...names(user, 4));
    const heldBy = (user: string): number => inside.filter((name) => name.startsWith(`${user}/`)).length;
    expect(['alice', 'bob', 'carol', 'dave', 'erin', 'frank'].map(heldBy)).toEqual([8, 2, 2, 1, 1, 1]);
  });

  it('go by turns of askers, then of groups', async () => {
    const { enter, end, inside } = setup({ maxRunning: 1, reserved: 0, maxWaiting: 100 });
    await enter('alice/a/1', 'alice/a/2', 'alice/a/3', 'alice/b/1', 'bob/a/1', 'bob/a/2');
    for (let at = 0; at < 6; at += 1) await end(inside[at] ?? '');
    expect(inside).toEqual(['alice/a/1', 'alice/a/2', 'bob/a/1', 'alice/b/1', 'bob/a/2', 'alice/a/3']);
  });

  it('let the newest of the greediest give way in a full queue', async () => {
    const { enter, refused, places, bounds } = setup({ maxRunning: 1, reserved: 0, maxWaiting: 4 });
    await enter(...names('alice', 6));
    expect(refused).toEqual(['alice/h5/5']);
    await enter('bob/x/1', 'bob/x/2', 'bob/x/3');
    expect(refused.toSorted()).toEqual(['alice/h3/3', 'alice/h4/4', 'alice/h5/5', 'bob/x/3']);
    expect(places.load).toEqual({ running: 1, waiting: 4 });
    expect(bounds).toContain('waiting');
  });

  it('drop what others wait for, too, last', async () => {
    const { enter, places, refused } = setup({ maxRunning: 1, reserved: 0, maxWaiting: 3 });
    await enter('alice/h/0', 'alice/h/1', 'alice/h/2');
    const asker = new JoinedAskers(userAsker('alice', 'q'));
    let isRefused = false;
    places.enter({ asker, group: 'h' }, NEVER).catch(() => (isRefused = true));
    asker.join(userAsker('bob', 'q'));
    await enter('carol/h/1');
    expect([refused, isRefused]).toEqual([['alice/h/2'], false]);
  });

  it('drop no waiter for a newcomer with as many, even if others wait for that, too', async () => {
    const { enter, places, refused } = setup({ maxRunning: 1, reserved: 0, maxWaiting: 5 });
    await enter('alice/h/0', ...Array.from({ length: 5 }, (_, at) => `honest${at}/h/0`));
    let refusals = 0;
    for (let at = 0; at < 5; at += 1) {
      const asker = new JoinedAskers(userAsker(`newcomer${at}`, 'q'));
      asker.join(userAsker('helper', 'q'));
      places.enter({ asker, group: 'h' }, NEVER).catch(() => (refusals += 1));
    }
    await settle();
    expect([refused, refusals]).toEqual([[], 5]);
  });

  it('have one more of a group for whoever holds none of it', async () => {
    const { enter, end, inside } = setup({
      maxRunning: 9,
      reserved: 0,
      maxWaiting: 9,
      maxRunningPerGroup: 2,
    });
    await enter('alice/a/1', 'alice/a/2', 'alice/a/3', 'bob/a/1', 'carol/a/1', 'alice/b/1');
    expect(inside).toEqual(['alice/a/1', 'alice/a/2', 'bob/a/1', 'alice/b/1']);
    await end('bob/a/1');
    expect(inside.at(-1)).toBe('carol/a/1');
    await end('carol/a/1');
    expect(inside.at(-1)).toBe('carol/a/1');
    await end('alice/a/1');
    expect(inside.at(-1)).toBe('alice/a/3');
  });

  it('share out what waits for one group as well', async () => {
    const { enter, refused } = setup({
      maxRunning: 9,
      reserved: 0,
      maxWaiting: 9,
      maxRunningPerGroup: 1,
      maxWaitingPerGroup: 2,
    });
    await enter('alice/a/1', 'alice/a/2', 'alice/a/3', 'bob/a/1', 'bob/a/2', 'carol/b/1');
    expect(refused).toEqual(['alice/a/3']);
  });
});
