// Test files share processes: each leaves its process as it found it, or the next would meet what is left.
import assert from 'node:assert/strict';

import { afterAll, beforeAll, vi } from 'vitest';

import { PATIENCE_MS } from './patience.js';

/** What keeps working when its file has ended. */
const WORKING = ['TCPServerWrap', 'PipeServerWrap', 'UDPWrap', 'ProcessWrap', 'Worker', 'FSEventWrap'];
/** Set by sharp's library when it is loaded. */
const OF_LIBRARIES = new Set(['VIPSHOME']);

let environment: NodeJS.ProcessEnv;
let before: Record<string, unknown>;

beforeAll(() => {
  environment = { ...process.env };
  before = stateOfProcess();
});

afterAll(async () => {
  await vi.waitFor(() => assert.deepEqual(stateOfProcess(), before), { timeout: PATIENCE_MS });
});

function stateOfProcess(): Record<string, unknown> {
  // Loggers flush at the exit; their listeners go when the garbage is collected.
  const events = process.eventNames().filter((name) => name !== 'exit');
  const working = process.getActiveResourcesInfo().filter((kind) => WORKING.includes(kind));
  return {
    folder: process.cwd(),
    changedVariables: changedVariables(),
    listeners: Object.fromEntries(events.map((name) => [String(name), process.listenerCount(name)])),
    working: working.toSorted(),
  };
}

/** Names only: values may be secrets. */
function changedVariables(): string[] {
  const names = new Set([...Object.keys(environment), ...Object.keys(process.env)]);
  return [...names].filter((name) => !OF_LIBRARIES.has(name) && environment[name] !== process.env[name]);
}
