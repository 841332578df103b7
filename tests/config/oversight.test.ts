import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { formatConfigError } from '../../src/config/config-errors.js';
import { createConfigFolder, type ConfigFolder } from './support.js';

let folder: ConfigFolder;
beforeAll(async () => {
  folder = await createConfigFolder();
  await folder.write('hook.secret', 'a secret of its own\n', 0o600);
  await folder.write('open.secret', 'a secret of its own\n', 0o644);
});
afterAll(() => folder.remove());

const KEY = 'A'.repeat(43);
const hook = (rest: string, more = '') =>
  `server_name: a.org\nalerts: {webhooks: [{name: ops, url: "https://h.example/x", ${rest}}]}\n${more}`;

describe('watches, pins and notaries of the configuration', () => {
  it('have defaults, paths from the folder of the file, and unpadded keys', async () => {
    const pins = `pins: [{server_name: b.org, keys: {"ed25519:1": "${KEY}="}}]`;
    const notaries = `cross_check: [{server_name: n.org, url: "https://n.org", keys: {"ed25519:1": "${KEY}"}}]`;
    const loaded = await folder.load(
      hook('secret_path: hook.secret', `watch: [{server_name: "*", webhook: ops}]\n${pins}\n${notaries}`),
    );
    expect(loaded.ok && loaded.config).toMatchObject({
      alerts: {
        webhooks: [
          {
            secret_path: expect.stringMatching(/^\/.*\/hook\.secret$/),
            tells: ['alarms', 'health'],
            allow_private: false,
          },
        ],
        quiet_time: 600_000,
        max_waiting: 10_000,
        give_up_after: 3 * 86_400_000,
      },
      pins: [{ mode: 'refuse', keys: { 'ed25519:1': KEY } }],
      cross_check: [{ allow_private: false }],
    });
  });

  it.each([
    [
      'a watch of nothing',
      hook('secret_path: hook.secret', 'watch: [{server_name: b.org}]'),
      'watch[0]: names neither a webhook nor a command',
    ],
    [
      'a webhook that is not there',
      'server_name: a.org\nwatch: [{server_name: b.org, webhook: x}]',
      'watch[0]: names no webhook of alerts.webhooks: x',
    ],
    [
      'a name twice',
      `server_name: a.org\nwatch: [{server_name: b.org, command: [a]}, {server_name: b.org, command: [b]}]`,
      'watch[1].server_name: server_name "b.org" stands here twice',
    ],
    [
      'two secrets',
      hook('secret_path: hook.secret, secret: "sixteen characters"'),
      'alerts.webhooks[0]: has the wrong form',
    ],
    ['a secret that everybody can read', hook('secret_path: open.secret'), 'chmod 600'],
    ['a secret that is not there', hook('secret_path: none.secret'), 'names a file that does not exist'],
    [
      'no server name',
      'server_name: a.org\nwatch: [{server_name: "not a name", command: [a]}]',
      'watch[0].server_name',
    ],
    ['no key', 'server_name: a.org\npins: [{server_name: b.org, keys: {}}]', 'pins[0].keys'],
    [
      'no address',
      `server_name: a.org\ncross_check: [{server_name: n.org, url: "ftp://n.org", keys: {"ed25519:1": "${KEY}"}}]`,
      'cross_check[0].url',
    ],
  ])('are refused for %s', async (_what, text, message) => {
    const loaded = await folder.load(text);
    expect(loaded.ok ? [] : loaded.errors.map(formatConfigError).join('\n')).toContain(message);
  });

  it('never print a secret in an error', async () => {
    const loaded = await folder.load(hook('secret: "sixteen characters", tells: [nothing]'));
    expect(loaded.ok).toBe(false);
    expect(JSON.stringify(loaded)).not.toContain('sixteen');
  });
});
