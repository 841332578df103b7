/** Path of the log on listeners, without trailing slash (SPEC §4.15). */
export function logPath(pathPrefix: string): string {
  return `${pathPrefix}/vidimus/v1/log`;
}
