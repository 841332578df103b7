import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createProgram } from '../../src/cli/program.js';
import { PROGRAM, follow, startVidimus, temporaryFolder, type Running } from '../cli/vidimus.js';
import { listenOnFreshPort } from '../support/fresh-port.js';
import { startDnsServer, type DnsServer } from '../support/origins/dns-server.js';
import { readBenchOptions } from '../../bench/options.js';
import { readSoakOptions } from '../../bench/soak/options.js';
import { NOT_RUN } from './commands-not-run.js';
import { commandsOf, commandsToRun, isNotRun, type PageCommand } from './page-commands.js';
import { ROOT, readText } from './repository-files.js';

const PAGES = [
  ...readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('reference'))
    .map((name) => `docs/${name}`),
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
];

/**
 * Tests that run all blocks of a page, or of one section of it, but for what `NOT_RUN` names: by `blocksToRun` or
 * `commandsToRun`.
 */
const RUN_BY: Readonly<Record<string, string>> = {
  'README.md': 'readme-examples.test.ts',
  'docs/API.md': 'api.test.ts',
  'docs/TRUST.md': 'trust.test.ts',
  'docs/INSTALL.md#A package of npm': '../start/package.test.ts',
  'docs/INSTALL.md#systemd without the package': '../deploy/systemd-by-hand.test.ts',
  'docs/INSTALL.md#When something does not work': 'commands.test.ts',
  'docs/FIRST-HOUR.md': 'commands.test.ts',
  'docs/GRAPHQL.md': 'commands.test.ts',
  'docs/OPERATING.md': 'commands.test.ts',
  'docs/homeservers/synapse.md': 'homeservers.test.ts',
  'docs/homeservers/dendrite.md': 'homeservers.test.ts',
  'docs/homeservers/conduit.md': 'homeservers.test.ts',
  'docs/BACKUP.md': 'backup.test.ts',
  'docs/UPGRADE.md': 'backup.test.ts',
  'docs/SCALING.md': 'backup.test.ts',
};

const all = PAGES.flatMap(commandsOf);
describe('commands of the documentation', () => {
  it('are run by a test, or listed with the reason why not', () => {
    expect(all.length).toBeGreaterThan(30);
    const isRun = ({ page, section }: PageCommand) => page in RUN_BY || `${page}#${section}` in RUN_BY;
    expect(all.filter((each) => !isNotRun(each) && !isRun(each))).toEqual([]);
    const asked = (place: string) => new RegExp(String.raw`(?:blocks|commands)ToRun\(\s*'${place}',\s*\d+,?\s*\)`);
    const unasked = Object.entries(RUN_BY).filter(([place, test]) => !asked(place).test(readText(path.join('tests/docs', test))));
    expect(unasked).toEqual([]);
  });

  it('that are listed are there', () => {
    const gone = NOT_RUN.filter(({ page, command }) => !commandsOf(page).some((each) => command.test(each.command)));
    expect(gone).toEqual([]);
  });

  it('that are listed name tests that are there', () => {
    const named = NOT_RUN.flatMap(({ page, why }) =>
      [...why.matchAll(/[\w./-]*\w+\.test\.ts|tests\/[\w/-]+/g)].map(([name]) => ({ page, name })),
    );
    const isThere = (name: string) => existsSync(path.join(ROOT, name.includes('/') ? name : `tests/docs/${name}`));

    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ name }) => !isThere(name))).toEqual([]);
  });

  // The namespace there has our name, too.
  const ours = all.filter(({ command }) => !command.startsWith('kubectl ')).flatMap(({ page, command }) =>
    [...command.matchAll(/\b(?:node bin\/vidimus\.js|vidimus) ([a-z][^|>)]*)/g)].map(([, line = '']) => ({ page, line })),
  );
  it.each(ours)('$page names a command with options that there are: $line', ({ line }) => {
    const { isGroup, unknown } = readLine(line);

    expect({ isGroup, unknown }).toEqual({ isGroup: false, unknown: [] });
  });

  it('in running text are there, with their options', () => {
    const named = PAGES.flatMap(inlineOf);
    expect(named.length).toBeGreaterThan(80);
    const wrong = named.map((each) => ({ ...each, fault: faultOf(each.program, each.line) }));
    expect(wrong.filter(({ fault }) => fault !== null)).toEqual([]);
  });

  it.each([
    ['npm run', 'nothing'],
    ['npm run', 'bench -- scaling'],
    ['npm run', 'bench -- scale --least 10'],
    ['npm run', 'bench -- scale --most many'],
    ['npm run', 'bench -- --against REVISION single'],
    ['npm run', 'soak -- --hours 1'],
    ['npm test', '-- tests/none.test.ts'],
    ['npx', 'tsx bench/none.ts FOLDER'],
    ['npx', 'no-such-program'],
    ['npx', 'vidimus serve --none'],
    ['node', 'scripts/none.mjs'],
    ['vidimus', 'serve --none'],
  ])('are found where they are not: %s %s', (program, line) => {
    expect(faultOf(program, line)).not.toBeNull();
  });
});

/** What stands between single backticks and is a command of ours, of npm or of a package. */
function inlineOf(page: string) {
  const text = readText(page).replaceAll(/^```[^]*?^```$/gm, '');
  return [...text.matchAll(/`(npm run|npm test|npx|node|vidimus) ([^`]+)`/g)].map(([, program = '', line = '']) => ({
    page,
    program,
    line,
  }));
}

const PACKAGE = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
/** Words that stand for others, as `FOLDER`. */
const isPlaceholder = (word: string) => /^[A-Z_]+$/.test(word);
/** What our programs say to their arguments; a placeholder is a value that there is. */
const READERS: Readonly<Record<string, (args: string[]) => unknown>> = {
  bench: (args) => readBenchOptions(args.map((word) => (word === 'TASK' ? 'get' : word))),
  soak: readSoakOptions,
};

/** What is wrong with a command of the running text; `null`: nothing. */
function faultOf(program: string, line: string): string | null {
  const [first = '', ...words] = line.split(/\s+/);
  if (program === 'vidimus' || (program === 'npx' && first === 'vidimus')) return unknownOf(program === 'npx' ? words.join(' ') : line);
  if (program === 'node' && first === 'bin/vidimus.js') return unknownOf(words.join(' '));
  // Written by the reader, of the page itself.
  if (program === 'node' && first === 'client.mjs') return null;
  if (program === 'npx' && !existsSync(path.join(ROOT, 'node_modules/.bin', first))) return `no program ${first}`;
  if (program === 'npm run') {
    if (!Object.hasOwn(PACKAGE.scripts, first)) return `no script ${first}`;
    const read = READERS[first];
    if (read !== undefined) return faultSaid(() => read(words.filter((word) => word !== '--')));
  }
  const files = [first, ...words].filter((word) => word.includes('/') && !isPlaceholder(word));
  const gone = files.filter((file) => !existsSync(path.join(ROOT, file)));
  return gone.length === 0 ? null : `no file ${gone.join()}`;
}

function unknownOf(line: string): string | null {
  const { unknown } = readLine(line);
  return unknown.length === 0 ? null : `no ${unknown.join()}`;
}

function faultSaid(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Words of a line that are neither commands nor options nor values; a group of commands may be all that is named. */
function readLine(line: string): { isGroup: boolean; unknown: string[] } {
  const words = line.trim().split(/\s+/);
  const program = createProgram();
  let command = program;
  for (let next; (next = command.commands.find((each) => each.name() === words[0])); words.shift()) command = next;
  const options = [program, command].flatMap((each) => each.options).flatMap(({ long, short }) => [long, short]);
  const isGroup = command.commands.length > 0;
  const unknown = words.filter((word) => /^--?[a-z]/.test(word) && ![...options, '--help'].includes(word));
  return { isGroup, unknown: isGroup && /^[a-z]/.test(words[0] ?? '') ? [words[0]!, ...unknown] : unknown };
}

/** What a doctor looks at wherever it is, a homeserver and object storage aside. */
const DOCTOR_TITLES = [
  'Clock',
  'DNS',
  'Database',
  'Database space',
  'Image codecs',
  'Media folder',
  'Open files',
  'Outgoing TLS',
  'Public paths',
  'Reachability',
  'Server',
];

const FIRST_HOUR = commandsToRun('docs/FIRST-HOUR.md', 9);
const OPERATING = commandsToRun('docs/OPERATING.md', 2);
const serveAt = FIRST_HOUR.findIndex((command) => / serve\b/.test(command));

describe('run word for word', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let running: Running;
  let dns: DnsServer;
  let ports: number[];
  let prepared: (number | null)[];
  const environment = () => ({
    VIDIMUS__LISTENERS: JSON.stringify([
      { port: ports[0], resources: ['keys', 'previews', 'media', 'health'] },
      { port: ports[1], resources: ['admin'] },
    ]),
  });
  /** In a shell, with this program and its ports in place of those that are written there. */
  const shell = (command: string, more: Record<string, string>) => {
    const here = command
      .replaceAll('node bin/vidimus.js', `${process.execPath} ${PROGRAM}`)
      .replaceAll(/^vidimus /gm, `${process.execPath} ${PROGRAM} `)
      .replaceAll('http://127.0.0.1:8008', `http://127.0.0.1:${ports[0]}`);
    const env = { ...process.env, ...environment(), ...more };
    return { args: ['-c', here], place: { cwd: folder.path, env } };
  };
  const sh = (command: string, more: Record<string, string> = {}) => {
    const { args, place } = shell(command, more);
    return spawnSync('sh', args, { ...place, encoding: 'utf8' });
  };
  const freshPort = async () => {
    const server = createServer();
    const port = await listenOnFreshPort(server, '127.0.0.1');
    await new Promise((resolve) => server.close(resolve));
    return port;
  };
  beforeAll(async () => {
    folder = await temporaryFolder();
    dns = await startDnsServer();
    ports = [await freshPort(), await freshPort()];
    prepared = FIRST_HOUR.slice(0, serveAt).map((command) => sh(command).status);
    const args = FIRST_HOUR[serveAt]!.split(' ').slice(2);
    running = startVidimus(args, { cwd: folder.path, env: environment() });
    await running.log('ready');
  });
  afterAll(async () => {
    running.child.kill('SIGTERM');
    await running.finished;
    await dns.close();
    await folder.remove();
  });

  it('docs/FIRST-HOUR.md: what comes before the start', () => {
    expect(prepared).toEqual([0, 0]);
  });

  it.each([...FIRST_HOUR.slice(serveAt + 1), ...OPERATING])('%s', (command) => {
    const { status, stdout, stderr } = sh(command);

    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(command.startsWith('curl') ? /"verify_keys":\{"ed25519:/ : /^/);
  });

  it('docs/INSTALL.md: a doctor tells all it looks at, beside a server that runs', async () => {
    const [doctor] = commandsToRun('docs/INSTALL.md#When something does not work', 1);
    // Not as the others: this process answers as DNS meanwhile.
    const { args, place } = shell(doctor!, {
      VIDIMUS__DNS__SERVERS: JSON.stringify([dns.address]),
      VIDIMUS__PUBLIC_BASEURL: `http://127.0.0.1:${ports[0]}/`,
    });
    const { code, stdout } = await follow(spawn('sh', args, place)).finished;
    const titles = [...stdout.matchAll(/^(?:ok|WARNING|FAILED|unproved) +([A-Z][^:]*): \S/gm)].map(([, title]) => title);

    expect(titles).toEqual(expect.arrayContaining(DOCTOR_TITLES));
    for (const title of ['Server', 'Reachability', 'Public paths'])
      expect(stdout).toMatch(new RegExp(`^ok {7}${title}: `, 'm'));
    expect({ code, failed: stdout.match(/^FAILED.*$/gm) }).toEqual({ code: 0, failed: null });
  });

  it('docs/GRAPHQL.md: a token, and an operation with it', () => {
    const [create, ask] = commandsToRun('docs/GRAPHQL.md', 2);
    const TOKEN = sh(create!).stdout.trim();
    const { status, stdout } = sh(ask!, { TOKEN, ADMIN: `http://127.0.0.1:${ports[1]}/admin` });

    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      data: {
        viewer: { name: expect.any(String) as string, role: 'VIEWER' },
        servers: { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } },
      },
    });
  });
});
