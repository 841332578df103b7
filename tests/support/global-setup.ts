import { prepareTestDatabases } from './databases.js';

// oxlint-disable-next-line import/no-default-export -- vitest takes only this
export default function setup(): Promise<() => Promise<void>> {
  return prepareTestDatabases();
}
