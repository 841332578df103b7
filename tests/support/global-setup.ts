import { NO_BROWSER, findChromium } from '../browser/chromium.js';
import { prepareTestDatabases } from './databases.js';

// oxlint-disable-next-line import/no-default-export -- vitest takes only this
export default function setup(): Promise<() => Promise<void>> {
  if (findChromium() === null) process.stderr.write(`${NO_BROWSER}\n`);
  return prepareTestDatabases();
}
