import { logPath } from '../../core/notary/log/log-path.js';
import { schemaNamed, type JsonSchema } from './json-schema.js';
import type { PathParameter, Route } from './route.js';

const TEXT = 'text/plain';
const SHA256 = { description: 'a SHA-256 in lower-case hex', pattern: '[0-9a-f]{64}' };
const NOTE: JsonSchema = { type: 'string', description: 'a signed note (C2SP signed-note)' };

interface LogRead {
  id: string;
  summary: string;
  parameters?: Readonly<Record<string, PathParameter>>;
  content: Readonly<Record<string, JsonSchema>>;
}

function logRoute(path: string, { id, summary, parameters = {}, content }: LogRead): Route {
  return {
    tag: 'Log',
    label: 'log',
    base: 'prefix',
    folders: [logPath('')],
    path,
    parameters,
    methods: ['GET', 'HEAD', 'OPTIONS'],
    operations: {
      get: {
        id,
        summary,
        access: 'anybody',
        answers: [{ status: 200, description: summary, content }],
        errors: [404],
      },
    },
  };
}

/** The log (SPEC §4.15). Where two paths fit, the first counts. */
export const LOG_ROUTES = {
  checkpoint: logRoute('/checkpoint', {
    id: 'getCheckpoint',
    summary: 'the last signed checkpoint',
    content: { [TEXT]: NOTE },
  }),
  witnessedCheckpoint: logRoute('/witnessed-checkpoint', {
    id: 'getWitnessedCheckpoint',
    summary: 'the last checkpoint with a quorum of witnesses',
    content: { [TEXT]: NOTE },
  }),
  tile: logRoute('/tile/{place}', {
    id: 'getTile',
    summary: 'hashes of the tree, or entries',
    parameters: {
      place: {
        description:
          'of hashes `LEVEL/N` or `LEVEL/N.p/WIDTH`, of entries `entries/N` or `entries/N.p/WIDTH`, with its slashes (C2SP tlog-tiles)',
        pattern: '.*',
      },
    },
    content: { 'application/octet-stream': {} },
  }),
  record: logRoute('/record/{sha256}', {
    id: 'getLoggedRecord',
    summary: 'the canonical form of a record that an entry names by this hash',
    parameters: { sha256: { description: SHA256.description } },
    content: { 'application/json': schemaNamed('KeyRecord') },
  }),
  recordProof: logRoute('/proof/record/{sha256}', {
    id: 'proveRecord',
    summary: 'the proof that a record is in the log (C2SP tlog-proof)',
    parameters: { sha256: SHA256 },
    content: { [TEXT]: { type: 'string' } },
  }),
  keyProof: logRoute('/proof/{serverName}/{keyId}', {
    id: 'proveKey',
    summary: 'the proof of the newest record that lists the key',
    parameters: {
      serverName: { description: 'whose key it is' },
      keyId: { description: 'algorithm and version, such as `ed25519:a1`' },
    },
    content: { [TEXT]: { type: 'string' } },
  }),
};
