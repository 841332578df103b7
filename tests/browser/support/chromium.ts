import { existsSync } from 'node:fs';

import { chromium, type Browser } from 'playwright-core';

/** Another browser than the ones below. */
const CHROMIUM_VARIABLE = 'VIDIMUS_TEST_CHROMIUM';

const KNOWN_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
];

/** Path of a Chromium; `null` where there is none. */
export function findChromium(): string | null {
  const named = process.env[CHROMIUM_VARIABLE];
  return [...(named === undefined ? [] : [named]), ...KNOWN_PATHS].find(existsSync) ?? null;
}

/** A run of the whole suite by itself, where a missing browser can be installed: no place to leave its tests out. */
export function mustHaveChromium(): boolean {
  return process.env['CI'] !== undefined && existsSync('/usr/bin/apt-get');
}

/** Said at the start of a run without a browser. */
export const NO_BROWSER =
  'No Chromium was found, so the tests of the web UI are left out. ' +
  `Install it (apt-get install chromium) or name one in ${CHROMIUM_VARIABLE}.`;

/** Starts the browser. It has no sandbox of its own: it only ever sees our own pages. */
export function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error(NO_BROWSER);
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}
