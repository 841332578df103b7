import { logPath } from '../../core/notary/log/log-path.js';
import type { Route, RouteMethod } from './route.js';

const READ: readonly RouteMethod[] = ['GET', 'HEAD', 'OPTIONS'];
const SHA256 = '[0-9a-f]{64}';

function logRoute(path: string, patterns: Route['patterns'] = {}): Route {
  return { label: 'log', folders: [logPath('')], path, patterns, methods: READ };
}

/** The log (SPEC §4.15). Where two paths fit, the first counts. */
export const LOG_ROUTES = {
  checkpoint: logRoute('/checkpoint'),
  witnessedCheckpoint: logRoute('/witnessed-checkpoint'),
  tile: logRoute('/tile/{place}', { place: '.*' }),
  record: logRoute('/record/{sha256}'),
  recordProof: logRoute('/proof/record/{sha256}', { sha256: SHA256 }),
  keyProof: logRoute('/proof/{serverName}/{keyId}'),
};
