import { createHash } from 'node:crypto';

import type { TestZone } from '../tests/support/origins/dns-server.js';
import {
  respondCut,
  respondJson,
  respondNever,
  respondRaw,
  respondRedirect,
  respondSlowly,
  respondStatus,
  type Respond,
} from '../tests/support/origins/key-origin.js';
import {
  makeKeyRecord,
  makeTestKey,
  type KeyRecordOptions,
  type TestKey,
} from '../tests/support/origins/key-record-maker.js';

export const CERTIFICATES = ['good', 'expired', 'notYetValid', 'selfSigned', 'ofAnother'] as const;
export type CertificateKind = (typeof CERTIFICATES)[number];

/** How servers of one kind behave; what is absent is as it should be. */
export interface Sickness {
  name: string;
  /** What DNS says of the name; `null`: that there is no such name. */
  zone?: TestZone | null;
  certificate?: CertificateKind;
  /** Body of the delegation; absent: there is none. */
  delegation?: string;
  /** What is answered to who asks for the keys. */
  respond?: (serverName: string) => Respond;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The same key at each look. */
export function keyOf(serverName: string, version = 'a_2026'): TestKey {
  return makeTestKey(version, createHash('sha256').update(`${version} ${serverName}`).digest());
}

/** Publishes a record; with what is changed of a good one. */
function publish(change: (serverName: string) => Partial<KeyRecordOptions> = () => ({})) {
  return (serverName: string): Respond => {
    const good = { serverName, keys: [keyOf(serverName)], validUntilTs: Date.now() + 7 * DAY_MS };
    return respondJson(makeKeyRecord({ ...good, ...change(serverName) }));
  };
}

/** When those with an old key took another. */
export const ROTATED_TS = Date.now() - 30 * DAY_MS;
const oldKey = (name: string) => ({ key: keyOf(name, 'a_2025'), expiredTs: ROTATED_TS });
const always = (respond: Respond) => () => respond;

export const ROTATED: Sickness = {
  name: 'with an old key',
  respond: publish((name) => ({ oldKeys: [oldKey(name)] })),
};

export const HEALTHY: readonly Sickness[] = [
  { name: 'healthy', respond: publish() },
  ROTATED,
  { name: 'with two keys', respond: publish((name) => ({ keys: [keyOf(name), keyOf(name, 'b_2026')] })) },
];

/** Its key is another one at the second look. */
export const REPLACED: Sickness = {
  name: 'key replaced',
  respond: publish(() => ({ keys: [makeTestKey('a_2026')] })),
};

export const SICKNESSES: readonly Sickness[] = [
  REPLACED,
  { name: 'record soon over', respond: publish(() => ({ validUntilTs: Date.now() + HOUR_MS / 4 })) },
  { name: 'record expired', respond: publish(() => ({ validUntilTs: Date.now() - DAY_MS })) },
  { name: 'signed with another key', respond: publish(() => ({ signWith: [makeTestKey('a_2026')] })) },
  { name: 'not signed', respond: publish(() => ({ signWith: [] })) },
  { name: 'record of another server', respond: publish(() => ({ serverName: 'somebody.else.example' })) },
  { name: 'no keys', respond: publish(() => ({ keys: [] })) },
  { name: 'a page instead of a record', respond: always(respondJson('<!doctype html><h1>It works!</h1>')) },
  { name: 'broken JSON', respond: always(respondJson('{"server_name": "')) },
  { name: 'too large', respond: always(respondJson(Buffer.alloc(2_000_000, ' '))) },
  { name: '404', respond: always(respondStatus(404)) },
  { name: '403', respond: always(respondStatus(403)) },
  { name: '500', respond: always(respondStatus(500)) },
  { name: '502', respond: always(respondStatus(502)) },
  { name: 'redirects', respond: always(respondRedirect('https://elsewhere.example/')) },
  { name: 'answer cut short', respond: always(respondCut) },
  { name: 'no HTTP', respond: always(respondRaw('SSH-2.0-OpenSSH_9.2\r\n')) },
  { name: 'resets', respond: always((request) => request.socket.destroy()) },
  { name: 'silent', respond: always(respondNever) },
  { name: 'a byte now and then', respond: always(respondSlowly) },
  { name: 'certificate expired', certificate: 'expired' },
  { name: 'certificate not yet valid', certificate: 'notYetValid' },
  { name: 'certificate of its own', certificate: 'selfSigned' },
  { name: 'certificate of another name', certificate: 'ofAnother' },
  { name: 'no such name', zone: null },
  { name: 'DNS fails', zone: { failure: 'SERVFAIL' } },
  { name: 'DNS refuses', zone: { failure: 'REFUSED' } },
  { name: 'private address', zone: { A: ['10.1.2.3'] } },
  { name: 'delegates to nobody', delegation: '{"svc.server": "gone.chat.example:443"}' },
  { name: 'delegates to a closed port', delegation: '{"svc.server": "127.0.0.1:9"}' },
  { name: 'broken delegation', delegation: '{"svc.server": "https://not a name/"}' },
];
