import { Buffer } from 'node:buffer';

import { WitnessKey } from '@vidimus/tlog';
import { describe, expect, it } from 'vitest';

import { formatConfigError } from '../../src/config/config-errors.js';
import { createConfigFolder } from './support.js';
import { setUp } from '../support/set-up.js';

const keyOf = (name: string, seed: number) => new WitnessKey(name, Buffer.alloc(32, seed)).verifierKey;
const [ONE, TWO] = [keyOf('one.test', 1), keyOf('two.test', 2)];
const entry = (key: string) => `{verifier_key: "${key}", url: "https://w.test/prefix"}`;
const witnesses = (...keys: string[]) => `witnesses: [${keys.map(entry).join(', ')}]`;

describe('settings of witnesses', () => {
  const folder = setUp(createConfigFolder);

  it.each([
    [
      'a damaged key',
      `log: {${witnesses(ONE.replace('+', '+0').replace(/(\+.{8})./, '$1'))}}`,
      'log.witnesses[0].verifier_key: is not a verifier key, or is damaged; expected: the verifier key of a witness',
    ],
    [
      'one name twice',
      `log: {${witnesses(ONE, TWO, keyOf('one.test', 9))}}`,
      'log.witnesses: is a list; expected: witnesses with different names and keys',
    ],
    [
      'a quorum that cannot be reached',
      `log: {${witnesses(ONE, TWO)}, witness_quorum: 3}`,
      'log.witness_quorum: exceeds the number of log.witnesses',
    ],
  ])('%s is an error with its line', async (_, text, expected) => {
    const errors = await folder.errors(`server_name: a.org\n${text}`);
    expect(errors[0]).toMatch(/^config\.yaml:[1-9]\d*:[1-9]\d* {2}/);
    expect(errors[0]).toContain(expected);
  });

  it('of a log that is off are told', async () => {
    const { warnings } = await folder.load(`server_name: a.org\nlog: {enabled: false, ${witnesses(ONE)}}`);
    expect(warnings.map(formatConfigError)).toEqual([
      expect.stringContaining('log.witnesses: is not used; log.enabled is false'),
    ]);
  });
});
