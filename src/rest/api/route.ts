import type { JsonSchema } from './json-schema.js';
import type { QueryParameter } from './query-parameter.js';

/** Where paths of a route begin: below `/_svc` or `/_matrix`, at the root, or below `admin.base_path`. */
export type RouteBase = 'prefix' | 'root' | 'operators';

/** A method that a path serves; the ones with an operation each, HEAD and OPTIONS. */
export type RouteMethod = 'GET' | 'HEAD' | 'POST' | 'DELETE' | 'OPTIONS';

/** Methods that have a description of their own. */
export type OperationMethod = 'get' | 'post' | 'delete';

/** A group of routes, by whom they are for. */
export type RouteTag = 'Previews and media' | 'Keys' | 'Log' | 'Operators' | 'Service';

/** Who may ask: anybody, a user with an access token, an operator with session or token, a token of the scope metrics. */
export type RouteAccess = 'anybody' | 'user' | 'media' | 'operator' | 'metrics';

/** A header of an answer beside those of all answers. */
export type AnswerHeader = 'Retry-After' | 'ETag' | 'Content-Range' | 'Content-Disposition' | 'Location';

/** An answer that is no error. */
export interface RouteAnswer {
  readonly status: number;
  readonly description: string;
  /** Media type → form of the body; empty without a body. */
  readonly content: Readonly<Record<string, JsonSchema>>;
  readonly headers?: readonly AnswerHeader[];
}

/** One method of one path. */
export interface Operation {
  /** Names it in the document. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: RouteAccess;
  readonly query?: readonly QueryParameter<unknown>[];
  readonly body?: { readonly type: string; readonly schema: JsonSchema };
  readonly answers: readonly RouteAnswer[];
  /** Status codes of errors it may answer with, beside those of every request. */
  readonly errors: readonly number[];
  readonly isDeprecated?: boolean;
}

/** A part of a path. */
export interface PathParameter {
  readonly description: string;
  /** What it has to match for the route to be this one; else it is anything without a slash. */
  readonly pattern?: string;
}

/** A path with all it serves. The routers serve what stands here and nothing else. */
export interface Route<M extends OperationMethod = never> {
  readonly tag: RouteTag;
  /** For metrics and log lines. */
  readonly label: string;
  readonly base: RouteBase;
  /** Folders below the base under which it is served alike; `''` for none. */
  readonly folders: readonly string[];
  /** With `{names}` of parameters. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, PathParameter>>;
  /** In the order of the header `Allow`. */
  readonly methods: readonly RouteMethod[];
  readonly operations: Readonly<Partial<Record<OperationMethod, Operation>> & Record<M, Operation>>;
}

/** Value of the header `Allow`. */
export function allowedMethods({ methods }: Pick<Route, 'methods'>): string {
  return methods.join(', ');
}

/** The paths of a route below its base, with `{names}`. */
export function pathsOf({ folders, path }: Pick<Route, 'folders' | 'path'>): string[] {
  return folders.map((folder) => `${folder}${path}`);
}
