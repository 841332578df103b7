import { spawn } from 'node:child_process';
import { sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';

import { peerSnippets } from '../../src/core/operators/own-keys/peer-snippets.js';
import { PROGRAM, follow, plainEnvironment, temporaryFolder } from '../cli/vidimus.js';
import type { AnsweredRecord } from '../support/clients/notary-client.js';
import { createToken } from '../support/clients/preview-client.js';
import { acceptedKeys, keyRingMissing, readToml, type AcceptedKeys } from '../support/key-ring.js';
import { startDnsServer } from '../support/origins/dns-server.js';
import { startHomeserver } from '../support/origins/homeserver.js';
import {
  makeKeyRecordObject,
  makeTestKey,
  simpleCanonicalJson,
  type TestKey,
} from '../support/origins/key-record-maker.js';
import { page, startRemoteSite, type RemoteSite } from '../support/origins/remote-site.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
  type TestAuthority,
} from '../support/origins/remote-server.js';
import { startTestService, type TestService } from '../support/service.js';
import { blocksOf } from './page-commands.js';
import { readText } from './repository-files.js';

const NOTARY = 'notary.example.org';
const SEED = Buffer.alloc(32, 'example');
const KEY_LINE = (version: string) => `ed25519 ${version} ${SEED.toString('base64').replace(/=+$/, '')}\n`;
const OUR_KEY = makeTestKey('a_2026', SEED);
const blocks = (name: string, language: string) =>
  [...readText(`docs/homeservers/${name}.md`).matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map(
    ([, block = '']) => block,
  );

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let authority: TestAuthority;
let remote: RemoteServer;
let site: RemoteSite;
let homeserver: Awaited<ReturnType<typeof startHomeserver>>;
let service: TestService;
beforeAll(async () => {
  folder = await temporaryFolder();
  authority = await createTestAuthority();
  const keys = [makeTestKey('k1'), makeTestKey('k2')];
  remote = await startRemoteServer(authority, { keys, validUntilTs: 4_102_444_800_000 });
  site = await startRemoteSite();
  site.pages.set('/page', page('<title>A page</title>'));
  homeserver = await startHomeserver({});
  const signing_key_path = join(folder.path, 'notary.key');
  await writeFile(signing_key_path, KEY_LINE('a_2026'), { mode: 0o600 });
  service = await startTestService({
    caPaths: [authority.caPath],
    settings: {
      dialect: 'matrix',
      server_name: NOTARY,
      signing_key_path,
      auth: { homeserver_url: homeserver.url },
    },
  });
});
afterAll(async () => {
  await service.remove();
  await homeserver.close();
  await site.close();
  await remote.origin.close();
  await authority.remove();
  await folder.remove();
});

/** What the blocks of the page say, read as each peer reads them. */
interface PeerSide {
  notaryName: string;
  /** Without key ID: whichever signed. */
  keys: { keyId: string | null; publicKey: string }[];
}
type Listed = { server_name: string; verify_keys: Record<string, string> };
type Perspective = { server_name: string; keys: { key_id: string; public_key: string }[] };
type Strict = { global: { trusted_servers: { server_name: string; verify_keys: string[] }[] } };

const PEERS: Record<string, { rule: keyof AcceptedKeys; read: () => PeerSide }> = {
  Synapse: {
    rule: 'origin',
    read: () => {
      const [peer] = (parse(blocks('peers', 'yaml')[0]!) as { trusted_key_servers: Listed[] }).trusted_key_servers;
      const keys = Object.entries(peer!.verify_keys).map(([keyId, publicKey]) => ({ keyId, publicKey }));
      return { notaryName: peer!.server_name, keys };
    },
  },
  Dendrite: {
    rule: 'every',
    read: () => {
      const read = parse(blocks('peers', 'yaml')[1]!) as { federation_api: { key_perspectives: Perspective[] } };
      const [peer] = read.federation_api.key_perspectives;
      const keys = peer!.keys.map(({ key_id: keyId, public_key: publicKey }) => ({ keyId, publicKey }));
      return { notaryName: peer!.server_name, keys };
    },
  },
  Continuwuity: {
    rule: 'origin',
    read: () => {
      const [peer] = (readToml(blocks('peers', 'toml')[0]!) as Strict).global.trusted_servers;
      return {
        notaryName: peer!.server_name,
        keys: peer!.verify_keys.map((publicKey) => ({ keyId: null, publicKey })),
      };
    },
  },
};

/** Our answer about the remote server, its record in an object. */
async function ourRecord(): Promise<AnsweredRecord> {
  const body = JSON.stringify({ server_keys: { [remote.serverName]: { 'ed25519:k1': {} } } });
  const response = await fetch(`${service.url}/_matrix/key/v2/query`, { method: 'POST', body });
  return ((await response.json()) as { server_keys: AnsweredRecord[] }).server_keys[0]!;
}

function acceptedBy({ rule, read }: (typeof PEERS)[string], record: AnsweredRecord): Record<string, string> {
  const { notaryName, keys } = read();
  const ids = Object.keys(record.signatures[notaryName] ?? {});
  return acceptedKeys({
    answer: JSON.stringify({ server_keys: [record] }),
    serverName: remote.serverName,
    notaryName,
    notaryKeys: keys.flatMap(({ keyId, publicKey }) =>
      (keyId === null ? ids : [keyId]).map((id) => ({ keyId: id, publicKey })),
    ),
  })[rule];
}

/** The record with the signature of a key in our name and no other of ours. */
function signedAsUs({ signatures, ...record }: AnsweredRecord, key: TestKey): AnsweredRecord {
  const signature = sign(null, Buffer.from(simpleCanonicalJson(record)), key.privateKey);
  const ours = { [key.keyId]: signature.toString('base64').replace(/=+$/, '') };
  return { ...record, signatures: { ...signatures, [NOTARY]: ours } };
}

/** A record about the remote server that it never made, rightly signed by its own key. */
const madeUp = () => {
  const keys = [makeTestKey('k1')];
  const validUntilTs = 4_102_444_800_000;
  return makeKeyRecordObject({ serverName: remote.serverName, keys, validUntilTs }) as AnsweredRecord;
};

const FORGERIES: Record<string, (ours: AnsweredRecord) => AnsweredRecord> = {
  'changed on its way': (ours) => ({ ...ours, valid_until_ts: ours.valid_until_ts + 1 }),
  'of another making, with our signature of the right one': (ours) => {
    const forged = madeUp();
    return { ...forged, signatures: { ...forged.signatures, [NOTARY]: ours.signatures[NOTARY]! } };
  },
  'signed in our name by another key of the same ID': () => signedAsUs(madeUp(), makeTestKey('a_2026')),
  'not signed by us': (ours) => {
    const { [NOTARY]: _ours, ...signatures } = ours.signatures;
    return { ...ours, signatures };
  },
};

describe('docs/homeservers/peers.md', () => {
  it('has the lines that we print', () => {
    const printed = peerSnippets(NOTARY, [OUR_KEY]).map(({ text }) => text);
    expect([...blocks('peers', 'yaml'), ...blocks('peers', 'toml')]).toEqual(printed);
  });

  const missing = keyRingMissing();
  describe.skipIf(missing !== null).each(Object.entries(PEERS))(`has a peer ${missing ?? 'with'} %s`, (_name, peer) => {
    it('accept what we answer', async () => {
      const record = await ourRecord();
      const keys = Object.entries(record.verify_keys).map(([id, { key }]) => [id, key]);
      expect(keys).toHaveLength(2);
      expect(acceptedBy(peer, record)).toEqual(Object.fromEntries(keys));
      expect(acceptedBy(peer, signedAsUs(madeUp(), OUR_KEY))).not.toEqual({});
    });

    it.each(Object.entries(FORGERIES))('refuse a record %s', async (_what, forge) => {
      expect(acceptedBy(peer, forge(await ourRecord()))).toEqual({});
    });
  });
});

/** What lies in the folder before the commands of a page are run. */
const FILES: Record<string, Record<string, string>> = {
  synapse: {
    'example.org.signing.key': KEY_LINE('a_home'),
    'config.yaml': blocks('synapse', 'yaml')[0]!,
  },
  dendrite: {
    'matrix_key.pem': `-----BEGIN MATRIX PRIVATE KEY-----\nKey-ID: ed25519:a_home\n\n${SEED.toString('base64')}\n-----END MATRIX PRIVATE KEY-----\n`,
    'config.yaml': blocks('dendrite', 'yaml')[0]!,
  },
  conduit: { 'config.yaml': blocks('conduit', 'yaml')[0]! },
};

/** What the key file that we sign with holds afterwards. */
const KEYS: Record<string, string> = {
  synapse: KEY_LINE('a_home'),
  dendrite: KEY_LINE('a_home'),
  conduit: 'ed25519 ',
};

const SCRIPTS: Record<string, string[]> = {
  synapse: blocksOf('docs/homeservers/synapse.md'),
  dendrite: blocksOf('docs/homeservers/dendrite.md'),
  conduit: blocksOf('docs/homeservers/conduit.md'),
};

describe.each(Object.keys(FILES))('docs/homeservers/%s.md', (name) => {
  it('has commands that work as they stand, in their order', async () => {
    const place = await temporaryFolder();
    onTestFinished(() => place.remove());
    const dns = await startDnsServer();
    onTestFinished(() => dns.close());
    for (const [file, text] of Object.entries(FILES[name]!))
      await writeFile(join(place.path, file), text, { mode: 0o600 });
    const env = {
      ...plainEnvironment(),
      HOMESERVER: service.url,
      NOTARY: service.url,
      TOKEN: await createToken(service),
      PAGE: site.url('/page'),
      PEER: remote.serverName,
      KEY_ID: 'ed25519:k1',
      VIDIMUS__AUTH__HOMESERVER_URL: homeserver.url,
      VIDIMUS__DNS__SERVERS: JSON.stringify([dns.address]),
      VIDIMUS__LISTENERS: '[{"port": 0, "x_forwarded": true, "resources": ["keys", "previews", "media"]}]',
    };
    const run = (script: string) => {
      const here = script.replaceAll('/etc/matrix-synapse/', '');
      // A doctor asks the server that runs here, and says that it has another name than the one of the page.
      const asked = 'if [ "$1" = doctor ]; then export VIDIMUS__PUBLIC_BASEURL="$NOTARY/"; fi';
      const vidimus = `vidimus() { ${asked}; '${process.execPath}' '${PROGRAM}' "$@" || test $1-$? = doctor-1; }`;
      return follow(spawn('sh', ['-c', `${vidimus}\n${here}`], { cwd: place.path, env })).finished;
    };
    const outputs: string[] = [];
    for (const script of SCRIPTS[name]!) {
      const { code, stdout, stderr } = await run(`set -e\n${script}`);
      expect({ script, code, stderr: code === 0 ? '' : stderr }).toEqual({ script, code: 0, stderr: '' });
      outputs.push(stdout);
    }

    const proxied = outputs.find((text) => text.includes('upstream vidimus'));
    expect(proxied).toContain(String.raw`preview_url/?$`);
    const [told = '', previewed = '', queried = ''] = outputs.at(-1)!.split(/(?=HTTP\/1\.1 )/);
    expect(told).toMatch(/^ok {7}Public address: [^]*^ok {7}Access tokens: /m);
    expect(previewed).toMatch(/^HTTP\/1.1 200 [^]*x-request-id:[^]*"og:title":"A page"/i);
    expect(queried).toMatch(/^HTTP\/1.1 200 [^]*x-request-id:[^]*"verify_keys":\{"ed25519:k1"/i);
    expect((await run('cat homeserver.signing.key || cat signing.key')).stdout).toContain(KEYS[name]);
  });
});
