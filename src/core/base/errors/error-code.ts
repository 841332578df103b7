/** The code of an error of the system, Node or a database (`ENOENT`, `ERR_…`, `40001`); empty without one. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
