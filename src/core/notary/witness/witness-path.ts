/** Path of the witness on listeners, without trailing slash (SPEC §4.16). */
export function witnessPath(pathPrefix: string): string {
  return `${pathPrefix}/vidimus/v1/witness`;
}
