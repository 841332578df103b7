import { stringify } from 'yaml';
import { expect, it } from 'vitest';

import { HomeserverFiles } from '../../../src/config/synapse/homeserver-files.js';
import { homeserverListeners } from '../../../src/config/synapse/homeserver-listeners.js';

const listener = (bound: object): object => ({ port: 8448, resources: [{ names: ['client'] }], ...bound });
const listenersOf = (...bound: object[]) => {
  const text = stringify({ listeners: bound.map(listener) });
  return homeserverListeners(new HomeserverFiles([{ path: 'homeserver.yaml', text }]));
};

it.each<[object, string]>([
  [{}, 'http://127.0.0.1:8448/'],
  [{ bind_addresses: [] }, 'http://127.0.0.1:8448/'],
  [{ bind_addresses: ['::1', '127.0.0.1'] }, 'http://127.0.0.1:8448/'],
  [{ bind_addresses: ['::', '0.0.0.0'] }, 'http://127.0.0.1:8448/'],
  [{ bind_address: '' }, 'http://127.0.0.1:8448/'],
  [{ bind_addresses: ['10.0.0.5', '0.0.0.0'] }, 'http://127.0.0.1:8448/'],
  [{ bind_addresses: ['10.0.0.5'] }, 'http://10.0.0.5:8448/'],
  [{ bind_address: '10.0.0.5' }, 'http://10.0.0.5:8448/'],
  [{ bind_addresses: ['127.0.0.2'] }, 'http://127.0.0.2:8448/'],
  [{ bind_addresses: ['::1'] }, 'http://[::1]:8448/'],
  [{ bind_addresses: ['fd00::5'] }, 'http://[fd00::5]:8448/'],
])('a listener bound by %j is asked at %s', (bound, url) => {
  const { homeserverUrl, remarks } = listenersOf(bound);

  expect(homeserverUrl).toBe(url);
  expect(remarks.map(({ setting }) => setting)).toEqual(['listeners[0]']);
});

it.each([{ bind_addresses: ['chat.internal'] }, { bind_addresses: 'all' }])(
  'a listener bound by %j is not guessed at: a remark says that the address is to be corrected',
  (bound) => {
    const { homeserverUrl, remarks } = listenersOf(bound);

    expect(homeserverUrl).toBe('http://127.0.0.1:8008/');
    expect(remarks.at(-1)?.message).toContain('auth.homeserver_url is http://127.0.0.1:8008/, correct it');
  },
);

it.each([[], [{ bind_addresses: ['chat.internal'] }], [{ tls: true }]])(
  'what is asked instead is no listener of ours',
  (...bound) => {
    const { homeserverUrl, listeners } = listenersOf(...bound);

    expect(homeserverUrl).toBe('http://127.0.0.1:8008/');
    expect(listeners.map((each) => 'port' in each && each.port)).toEqual([8018, 8009, 9008]);
  },
);

it('the next listener is asked where the first does not say where it is', () => {
  const { homeserverUrl } = listenersOf({ bind_addresses: ['chat.internal'] }, { bind_addresses: ['::1'] });

  expect(homeserverUrl).toBe('http://[::1]:8448/');
});
