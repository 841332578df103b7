import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';

import { startVidimus, temporaryFolder, type Running } from '../../cli/vidimus.js';
import { launchChromium } from '../support/chromium.js';
import { Visitor } from '../support/visitor.js';

/** The built program in a folder of its own, and a browser to look at it. */
export interface ProcessStage {
  /** The folder of the present test. */
  readonly folder: string;
  /** Starts the built program; it is ended after the test. */
  start(args: string[], env?: Record<string, string>): Running;
  /** An anonymous client at the operators' pages of a program. */
  visit(base: string): Promise<Visitor>;
}

/** Sets it up for the tests of a `describe`; no page may have met an error or asked another origin. */
export function setProcessStage(): ProcessStage {
  let browser: Browser;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const visitors: Visitor[] = [];
  const programs: Running[] = [];
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    folder = await temporaryFolder();
    await mkdir(join(folder.path, 'data'));
  });
  afterEach(async () => {
    const repeatedFailures = visitors.flatMap((visitor) => visitor.repeatedFailures);
    await Promise.all(visitors.splice(0).map((visitor) => visitor.close()));
    for (const { child, finished } of programs.splice(0)) {
      child.kill('SIGKILL');
      await finished;
    }
    await folder.remove();
    expect(repeatedFailures).toEqual([]);
  });
  return {
    get folder() {
      return folder.path;
    },
    start: (args, env = {}) => {
      const program = startVidimus(args, { cwd: folder.path, env });
      programs.push(program);
      return program;
    },
    visit: async (base) => {
      const visitor = await Visitor.openAt(browser, base);
      visitors.push(visitor);
      return visitor;
    },
  };
}

/** Settings with the operators' pages and everything else on free ports. */
export const ALL_RESOURCES = {
  listeners: [{ port: 0, resources: ['keys', 'previews', 'media', 'health', 'admin'] }],
};

/** The line with address and code that a first start prints. */
export interface Invitation {
  base: string;
  code: string;
}

/** Waits for it. Rejects when the program ends without. */
export function invitation(program: Running): Promise<Invitation> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const text = program.stderr();
      const [, base, code] = /^.*(http:\S+\/admin)\/ .*sign in with the code (\S{14}).*$/m.exec(text) ?? [];
      if (base !== undefined && code !== undefined) resolve({ base, code });
    };
    program.child.stderr?.on('data', look);
    void program.finished.then(({ stdout, stderr }) => reject(new Error(stdout + stderr)));
    look();
  });
}
