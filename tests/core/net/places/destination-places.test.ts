import { describe, expect, it } from 'vitest';

import {
  DestinationPlaces,
  type DestinationBound,
  type DestinationLimits,
  type DestinationRequest,
} from '../../../../src/core/net/places/destination-places.js';
import type { PlaceTicket } from '../../../../src/core/base/places/place-ticket.js';
import { SlowStart } from '../../../../src/core/net/places/slow-start.js';

const LONG_MS = 1_000_000;
const WIDE: DestinationLimits = {
  total: 100,
  perAsker: 100,
  perQuestion: 100,
  perDomain: 100,
  maxWaiting: 100,
  waitMs: LONG_MS,
};

const make = (limits: Partial<DestinationLimits>) => {
  const rules = { first: 4, most: 100, pauseMs: LONG_MS, keepsAnswering: false };
  const [addresses, hosts] = [new SlowStart(rules), new SlowStart(rules)];
  const bounds: DestinationBound[] = [];
  const places = new DestinationPlaces({
    ...WIDE,
    ...limits,
    addresses,
    hosts,
    onBound: (bound) => void bounds.push(bound),
  });
  const admitted: string[] = [];
  const refused: string[] = [];
  let next = 0;
  /** Asks as `asker/question`; tells the label once there is a place. */
  const enter = (by: string, label: string, options: Partial<DestinationRequest> = {}): PlaceTicket => {
    const [key = '', question = ''] = by.split('/');
    next += 1;
    const own = { address: `192.0.2.${next}`, domain: `d${next}.example`, host: `h${next}.example` };
    const ticket = places.enter({ asker: { key, question }, rank: 1, ...own, ...options });
    void ticket.admitted.then((isAdmitted) => (isAdmitted ? admitted : refused).push(label));
    return ticket;
  };
  const settled = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return admitted;
  };
  return { places, addresses, hosts, bounds, enter, settled, refused };
};

describe('places', () => {
  it('are never held by one asker beyond what is free, so that there is one for somebody new', async () => {
    const { enter, settled, bounds } = make({ total: 4 });
    for (const label of ['a1', 'a2', 'a3']) enter('a/1', label);
    enter('b/1', 'b1');
    expect(await settled()).toEqual(['a1', 'a2', 'b1']);
    expect(bounds).toEqual(['asker']);
  });

  it('go to askers in turn, then to their questions', async () => {
    const { enter, settled } = make({ total: 2, perAsker: 1 });
    const held = [enter('x/1', 'x'), enter('y/1', 'y')];
    for (const label of ['a1', 'a2', 'a3']) enter('a/long', label);
    enter('a/short', 'a4');
    enter('b/1', 'b1');
    for (const ticket of held) ticket.leave();
    expect(await settled()).toEqual(['x', 'y', 'a1', 'b1']);
  });

  it.each<[DestinationBound, Partial<DestinationLimits>, Partial<DestinationRequest>]>([
    ['question', { perQuestion: 2 }, {}],
    ['asker', { perAsker: 2 }, {}],
    ['domain', { perDomain: 2 }, { domain: 'same.example' }],
    ['total', { total: 2 }, {}],
  ])('end at the bound of each %s', async (bound, limits, options) => {
    const { enter, settled, bounds } = make(limits);
    const first = enter('a/1', '1', options);
    enter(bound === 'total' ? 'b/1' : 'a/1', '2', options);
    enter(bound === 'total' ? 'c/1' : 'a/1', '3', options);
    expect(await settled()).toEqual(['1', '2']);
    expect(bounds).toEqual([bound]);
    first.leave();
    expect(await settled()).toEqual(['1', '2', '3']);
  });

  it('widen with every answer of an address, and halve with every failure', async () => {
    const { enter, settled, addresses } = make({});
    const options = { address: '192.0.2.99' };
    for (let at = 1; at <= 10; at += 1) enter('a/1', String(at), options);
    expect(await settled()).toHaveLength(4);
    addresses.answered('192.0.2.99');
    addresses.answered('192.0.2.99');
    expect(await settled()).toHaveLength(6);
    addresses.failed('192.0.2.99');
    expect(addresses.width('192.0.2.99')).toBe(3);
  });

  it('are not given at a destination that only failed, but to a server that answered before', async () => {
    const { enter, settled, hosts } = make({});
    for (let times = 0; times < 4; times += 1) hosts.failed('victim.example');
    enter('a/1', 'new', { host: 'victim.example' });
    enter('a/1', 'known', { host: 'victim.example', rank: 0 });
    expect(await settled()).toEqual(['known']);
  });

  it('go to what failed lately last', async () => {
    const { enter, settled } = make({ total: 1 });
    const held = enter('x/1', 'x');
    enter('a/1', 'failed', { rank: 2 });
    enter('b/1', 'new');
    held.leave();
    expect(await settled()).toEqual(['x', 'new']);
  });

  it('come by the turn of whoever joins', async () => {
    const { enter, settled } = make({ total: 2, perAsker: 1 });
    enter('a/1', 'a1');
    const joined = enter('a/1', 'a2');
    joined.join({ key: 'b', question: '1' });
    expect(await settled()).toEqual(['a1', 'a2']);
  });

  it('are waited for by so many only, and nobody may be more of them than are free', async () => {
    const { enter, settled, refused, bounds } = make({ total: 1, maxWaiting: 4 });
    enter('x/1', 'x');
    for (const label of ['a1', 'a2', 'a3']) enter('a/1', label);
    enter('b/1', 'b1');
    expect(await settled()).toEqual(['x']);
    expect(refused).toEqual(['a3']);
    expect(bounds).toEqual(['total', 'total', 'waiting', 'total']);
  });

  it('are waited for by somebody new, however many take half of what is left', async () => {
    const { enter, settled, refused } = make({ total: 1, maxWaiting: 512 });
    const held = enter('x/1', 'x');
    for (let asker = 0; asker < 14; asker += 1)
      for (let at = 0; at < 256; at += 1) enter(`mallory${asker}/1`, 'flood');
    await settled();
    refused.length = 0;
    for (const label of ['a1', 'a2', 'a3']) enter('alice/1', label);
    await settled();
    expect(refused).toEqual(['flood', 'flood', 'flood']);

    held.leave();
    expect(await settled()).toHaveLength(2);
  });

  it('are given up after a while, and when all is closed', async () => {
    const { enter, refused, places } = make({ total: 1, waitMs: 1 });
    enter('x/1', 'x');
    await enter('a/1', 'a1').admitted;
    const last = enter('a/1', 'a2').admitted;
    places.close();
    expect(await last).toBe(false);
    expect(refused).toEqual(['a1', 'a2']);
    expect(places.load).toEqual({ running: 1, waiting: 0 });
  });
});

describe('an address that answered lately', () => {
  it('keeps its first number and is not paused, whatever is pointed at it', () => {
    const addresses = new SlowStart({ first: 4, most: 8, pauseMs: LONG_MS, keepsAnswering: true });
    for (let times = 0; times < 20; times += 1) addresses.answered('192.0.2.1');
    for (let times = 0; times < 20; times += 1) addresses.failed('192.0.2.1');
    expect([addresses.width('192.0.2.1'), addresses.pausedMs('192.0.2.1')]).toEqual([4, 0]);
  });
});
