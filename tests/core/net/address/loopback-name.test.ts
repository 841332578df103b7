import { describe, expect, it } from 'vitest';

import { isLoopbackName } from '../../../../src/core/net/address/loopback-name.js';

describe('isLoopbackName', () => {
  it.each(['localhost', 'LOCALHOST', 'app.localhost', '127.0.0.1', '127.255.0.9', '::1', '[::1]'])(
    '%s is this machine',
    (host) => {
      expect(isLoopbackName(host)).toBe(true);
    },
  );

  it.each([
    '',
    'localhost.evil.example',
    'notlocalhost',
    'localhost.',
    '127.0.0.1.evil.example',
    '127.0.0.1:80',
    '0.0.0.0',
    '10.0.0.1',
    '::',
    '::ffff:127.0.0.1',
    '[::1].evil.example',
    'evil.example#localhost',
  ])('%s need not be', (host) => {
    expect(isLoopbackName(host)).toBe(false);
  });
});
