import { integerParameter } from './query-parameter.js';
import type { Route, RouteMethod } from './route.js';

/** POSIX ms until which the record has to be valid; otherwise it is fetched again. */
export const MINIMUM_VALID_UNTIL = integerParameter('minimum_valid_until_ts');

const READ: readonly RouteMethod[] = ['GET', 'HEAD', 'OPTIONS'];

function keyRoute(label: string, path: string, methods: Route['methods'] = READ): Route {
  return { label, folders: [''], path, methods };
}

/** Key queries and our own record. Where two paths fit, the first with the method counts. */
export const KEY_ROUTES = {
  query: keyRoute('key_query', '/key/v2/query', ['POST', 'OPTIONS']),
  queryServer: keyRoute('key_query', '/key/v2/query/{serverName}'),
  queryKey: keyRoute('key_query', '/key/v2/query/{serverName}/{keyId}'),
  own: keyRoute('own_keys', '/key/v2/server'),
  ownKey: keyRoute('own_keys', '/key/v2/server/{keyId}'),
};
