/** A method that a path serves. */
export type RouteMethod = 'GET' | 'HEAD' | 'POST' | 'DELETE' | 'OPTIONS';

/** A path and the methods it serves. The routers serve these and nothing else. */
export interface Route {
  /** For metrics and log lines. */
  readonly label: string;
  /** Folders below the mount point under which it is served alike; `''` for none. */
  readonly folders: readonly string[];
  /** With `{names}` of parameters. */
  readonly path: string;
  /** Patterns of parameters that are not simply anything without a slash. */
  readonly patterns?: Readonly<Record<string, string>>;
  /** In the order of the header `Allow`. */
  readonly methods: readonly RouteMethod[];
}

/** Value of the header `Allow`. */
export function allowedMethods({ methods }: Pick<Route, 'methods'>): string {
  return methods.join(', ');
}

/** The paths of a route below its mount point, with `{names}`. */
export function pathsOf({ folders, path }: Pick<Route, 'folders' | 'path'>): string[] {
  return folders.map((folder) => `${folder}${path}`);
}
