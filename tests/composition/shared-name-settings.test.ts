import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readKeyFiles } from '../../src/composition/start/own-signing-keys.js';
import { askWhose, nameProblems } from '../../src/composition/start/start-checks.js';
import { parseConfig } from '../../src/config/parse-config.js';
import {
  FILES,
  HOME,
  NAMED,
  OF_NAME_ALONE,
  OF_SHARED_NAME,
  table,
  type Named,
} from '../support/key-file-pairs.js';
import { makeKeyRecord } from '../support/origins/key-record-maker.js';
import { page, startRemoteSite, type RemoteSite } from '../support/origins/remote-site.js';

const SHARED = 'shared.example';
const ALONE = 'notary.example';

const REASONS: [verdict: string, message: RegExp][] = [
  ['missing', /^is missing; beside a homeserver say whose name server_name is/],
  ['unlisted', /^key_server_signing_keys_path holds .*, which signing_key_path does not/],
  ['invented', /^The homeserver is called shared\.example too and does not publish /],
];

let folder: string;
let homeserver: RemoteSite;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidimus-shared-settings-'));
  for (const [name, keys] of Object.entries(FILES))
    await writeFile(join(folder, name), keys.map(({ line }) => line).join(''), { mode: 0o600 });
  homeserver = await startRemoteSite();
  const record = makeKeyRecord({ serverName: SHARED, keys: [HOME], validUntilTs: 1_900_000_000_000 });
  homeserver.pages.set('/_matrix/key/v2/server', page(record, { type: 'application/json' }));
});
afterAll(async () => {
  await homeserver.close();
  await rm(folder, { recursive: true });
});

/** What the start, and `config check`, ask of name and keys, one verdict or the messages that are none. */
async function verdictOf(serverName: string, own: Named, notary: Named): Promise<string> {
  const file = (name: Named) => (name === 'unset' ? {} : { path: join(folder, name) });
  const { path: signingKeyPath } = file(own);
  const { path: notaryPath } = file(notary);
  const parsed = parseConfig({
    dialect: 'matrix',
    server_name: serverName,
    auth: { homeserver_url: homeserver.url('/') },
    signing_key_path: signingKeyPath,
    key_server_signing_keys_path: notaryPath,
  });
  if (!parsed.ok) return verdictFor(parsed.problems.map(({ message }) => message));
  const { keys, problems } = await readKeyFiles(parsed.config);
  if (keys === null) return verdictFor(problems.map(({ message }) => message));
  const fetchOwnRecord = () => Promise.reject(new Error('the homeserver is asked'));
  const found = nameProblems(await askWhose(parsed.config, { database: null, keys, fetchOwnRecord }));
  if (found.length > 0) return verdictFor(found.map(({ message }) => message));
  const signers = FILES[notary === 'unset' ? (own as keyof typeof FILES) : notary];
  expect(keys.notary.map(({ keyId }) => keyId)).toEqual(signers.map(({ keyId }) => keyId));
  return keys.active.length === 0 ? 'fetched' : 'ours';
}

function verdictFor(messages: readonly string[]): string {
  const known = REASONS.filter(([, reason]) => messages.some((message) => reason.test(message)));
  return known.length === 1 && messages.length === 1 ? (known[0]?.[0] ?? '') : messages.join('\n');
}

describe('every pair of key files, beside a homeserver', () => {
  it.each(table(OF_SHARED_NAME))(
    'of the same name: signing_key_path $own, key_server_signing_keys_path $notary is $verdict',
    async ({ own, notary, verdict }) => expect(await verdictOf(SHARED, own, notary)).toBe(verdict),
  );

  it.each(table(OF_NAME_ALONE))(
    'of another name: signing_key_path $own, key_server_signing_keys_path $notary is $verdict',
    async ({ own, notary, verdict }) => expect(await verdictOf(ALONE, own, notary)).toBe(verdict),
  );

  it('is looked at', () => {
    expect(table(OF_SHARED_NAME)).toHaveLength(NAMED.length ** 2);
    expect(table(OF_NAME_ALONE)).toHaveLength(NAMED.length ** 2);
  });
});
