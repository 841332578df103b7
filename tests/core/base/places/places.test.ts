import { describe, expect, it } from 'vitest';

import { JoinedAskers } from '../../../../src/core/base/places/asker.js';
import type { PlaceTicket } from '../../../../src/core/base/places/place-ticket.js';
import { Places, type PlaceRules } from '../../../../src/core/base/places/places.js';

const setup = (rules: Partial<PlaceRules<'host'>>) => {
  const places = new Places({ total: 100, about: ['host'], mayGo: () => true, ...rules });
  const admitted: string[] = [];
  /** `alice/1`: an asker and what it is about. */
  const enter = (name: string): PlaceTicket<'host'> => {
    const [key = '', ...about] = name.split('/');
    const ticket = places.enter({ asker: { key, question: 'q' }, about });
    void ticket.admitted.then((isAdmitted) => isAdmitted && admitted.push(name));
    return ticket;
  };
  return { places, admitted, enter };
};

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('places', () => {
  it('are given to few in one turn of the event loop, to the others by turns of askers', async () => {
    const { places, admitted, enter } = setup({ startsPerTurn: 2 });
    const tickets = ['alice/1', 'alice/2', 'alice/3', 'alice/4', 'bob/1'].map(enter);
    expect(places.load).toEqual({ running: 2, waiting: 3 });
    expect(tickets.map((ticket) => ticket.waitsFor())).toEqual([null, null, null, null, null]);

    await nextTurn();
    expect(admitted).toEqual(['alice/1', 'alice/2', 'alice/3', 'bob/1']);
    await nextTurn();
    expect(admitted.at(-1)).toBe('alice/4');
  });

  it('are counted for whoever had one, whichever way it is left, and only once', async () => {
    const { places, enter } = setup({ total: 1 });
    const [first, second] = [enter('alice/1'), enter('bob/2')];
    expect(second.waitsFor()).toBe('total');
    expect([places.held(['alice']), places.held(['', '', '1']), places.waitingOf('bob')]).toEqual([1, 1, 1]);

    first.giveUp();
    second.giveUp();
    expect(await second.admitted).toBe(false);
    expect(places.load).toEqual({ running: 1, waiting: 0 });

    first.leave();
    first.leave();
    expect(places.load).toEqual({ running: 0, waiting: 0 });
    expect([places.held(['alice']), places.waitingOf('bob')]).toEqual([0, 0]);
  });

  it('come by the turn of whoever joins first, or joins what waits already', async () => {
    const { places, enter } = setup({ total: 1 });
    const [hold, next] = ['alice/0', 'alice/1', 'alice/2'].map(enter);
    const asker = new JoinedAskers({ key: 'alice', question: 'q' });
    const shared = places.enter({ asker, about: ['shared'] });
    expect(shared.isShared()).toBe(false);

    const another = new JoinedAskers({ key: 'alice', question: 'another' });
    asker.join(another);
    another.join({ key: 'bob', question: 'q' });
    expect([shared.isShared(), places.waitingOf('bob')]).toEqual([true, 0]);
    hold?.leave();
    expect([next?.hasPlace(), shared.hasPlace()]).toEqual([true, false]);
    next?.leave();
    expect(shared.hasPlace()).toBe(true);

    const later = places.enter({ asker, about: ['later'] });
    expect(later.isShared()).toBe(true);
  });

  it('no longer come by the turn of whoever joined and has gone', async () => {
    const { places, enter } = setup({ total: 1 });
    const [hold, next, last] = ['alice/0', 'alice/1', 'alice/2'].map(enter);
    const alice = { key: 'alice', question: 'q' };
    const asker = new JoinedAskers(alice);
    const another = new JoinedAskers(alice);
    const shared = places.enter({ asker, about: ['shared'] });
    const bob = { key: 'bob', question: 'q' };
    const [first, second] = [asker.join(bob), asker.join(bob)];
    const unlink = asker.join(another);
    another.join({ key: 'carol', question: 'q' });
    first();
    first();
    expect(shared.isShared()).toBe(true);
    second();
    expect(shared.isShared()).toBe(true);
    unlink();
    expect(shared.isShared()).toBe(false);

    hold?.leave();
    next?.leave();
    expect([last?.hasPlace(), shared.hasPlace()]).toEqual([true, false]);
    expect(places.enter({ asker, about: ['later'] }).isShared()).toBe(false);
  });

  it('come by the turn of whoever has joined in two ways until he has left both', () => {
    const { places, enter } = setup({ total: 1 });
    enter('alice/0');
    const bob = { key: 'bob', question: 'q' };
    const [one, another] = [1, 2].map((at) => new JoinedAskers({ key: 'alice', question: `${at}` }));
    const leave = [one?.join(bob), another?.join(bob)];
    const shared = places.enter({ asker: one ?? bob, about: ['shared'] });
    shared.join(another ?? bob);
    leave[0]?.();
    expect(shared.isShared()).toBe(true);
    leave[1]?.();
    expect(shared.isShared()).toBe(false);
  });

  it('still come by the turn of whoever asks himself and has left what he had joined', () => {
    const { places, enter } = setup({ total: 1 });
    enter('alice/0');
    const bob = { key: 'bob', question: 'q' };
    const asker = new JoinedAskers({ key: 'alice', question: 'q' });
    const leave = asker.join(bob);
    const shared = places.enter({ asker, about: ['shared'] });
    shared.join(bob);
    leave();
    expect(shared.isShared()).toBe(true);
  });

  it('are held by whose turn it was', () => {
    const { places, enter } = setup({ total: 1 });
    const [first, second, shared] = ['alice/0', 'alice/1', 'alice/2'].map(enter);
    shared?.join({ key: 'bob', question: 'q' });
    first?.leave();
    second?.leave();
    expect([shared?.hasPlace(), places.held(['alice']), places.held(['bob'])]).toEqual([true, 0, 1]);
  });

  it('leave room for somebody new where others wait for all that the greediest wants', () => {
    const { places, enter } = setup({ total: 1 });
    const carol = { key: 'carol', question: 'q' };
    const [, alone, ...shared] = ['alice/0', 'alice/1', 'alice/2', 'alice/3', 'alice/4'].map(enter);
    for (const ticket of shared) ticket.join({ key: 'bob', question: 'q' });
    expect([places.makeRoomFor(carol), places.waiting]).toEqual([true, shared]);
    expect([places.makeRoomFor(carol), places.waiting]).toEqual([true, shared.slice(0, 2)]);
    expect(alone?.hasPlace()).toBe(false);
  });

  it('leave room for another question of the greediest', () => {
    const { places, enter } = setup({ total: 1 });
    const [, ...waiting] = ['alice/0', 'alice/1', 'alice/2', 'alice/3'].map(enter);
    expect(places.makeRoomFor({ key: 'alice', question: 'q' })).toBe(false);
    expect(places.makeRoomFor({ key: 'alice', question: 'another' })).toBe(true);
    expect(places.waiting).toEqual(waiting.slice(0, 2));
    expect(places.makeRoomFor({ key: 'alice', question: 'another' })).toBe(false);
  });

  it('are not taken from who waits by who comes before the search for a place that was given back', async () => {
    const { places, enter } = setup({ total: 1 });
    const [holder, waiting] = [enter('alice/1'), enter('bob/1')];
    // As many looks as one turn of the event loop has.
    for (let look = 0; look < 500; look += 1) places.admit();
    holder.leave();
    const newcomer = enter('carol/1');

    await nextTurn();
    expect([waiting.hasPlace(), newcomer.hasPlace()]).toEqual([true, false]);
  });

  it('say which part of the path is full', () => {
    const { enter } = setup({ mayGo: (_level, path) => path.at(-1) !== 'full' });
    expect(enter('alice/full').waitsFor()).toBe('host');
    expect(enter('full/1').waitsFor()).toBe('asker');
  });

  it('cost little to ask for and to leave while thousands wait, each for something else that is full', async () => {
    const WAITING = 2048;
    let looks = 0;
    let isOpen = false;
    const mayGo: PlaceRules['mayGo'] = (level, path) => {
      looks += 1;
      return level !== 'host' || isOpen || path.at(-1) === 'open';
    };
    const { places, admitted, enter } = setup({ mayGo });
    const first = enter('mallory/open');
    for (let at = 0; at < WAITING; at += 1) enter(`mallory/${at}`);
    expect(looks).toBeLessThan(10 * WAITING);

    looks = 0;
    for (let times = 0; times < 100; times += 1) places.admit();
    first.leave();
    enter('alice/open');
    expect(looks).toBeLessThan(1000);
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    expect(looks).toBeLessThan(3 * WAITING);
    expect(admitted).toEqual(['mallory/open', 'alice/open']);

    isOpen = true;
    places.admit();
    await nextTurn();
    expect(admitted).toContain('mallory/0');
  });
});
