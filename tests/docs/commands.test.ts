import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createProgram } from '../../src/cli/program.js';
import { PROGRAM, follow, startVidimus, temporaryFolder, type Running } from '../cli/vidimus.js';
import { listenOnFreshPort } from '../support/fresh-port.js';
import { startDnsServer, type DnsServer } from '../support/origins/dns-server.js';
import { NOT_RUN } from './commands-not-run.js';
import { ROOT, readText } from './repository-files.js';

const PAGES = [
  ...readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('reference'))
    .map((name) => `docs/${name}`),
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
];

/** Tests that run the blocks of a page, but for what `NOT_RUN` names; they find them by themselves. */
const RUN_BY: Readonly<Record<string, string>> = {
  'README.md': 'readme-examples.test.ts',
  'docs/API.md': 'api.test.ts',
  'docs/TRUST.md': 'trust.test.ts',
  'docs/INSTALL.md': 'commands.test.ts',
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

interface PageCommand {
  page: string;
  command: string;
}

/** Commands of the blocks of a page, continued lines as one. */
function commandsOf(page: string): PageCommand[] {
  return [...readText(page).matchAll(/^```sh\n([^]*?)^```$/gm)]
    .flatMap(([, block = '']) => block.replaceAll('\\\n', ' ').split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((command) => ({ page, command }));
}

const all = PAGES.flatMap(commandsOf);
const isNotRun = ({ page, command }: PageCommand) =>
  NOT_RUN.some((each) => each.page === page && each.command.test(command));
const wanted = (page: string) => commandsOf(page).filter((each) => !isNotRun(each));

describe('commands of the documentation', () => {
  it('are run by a test, or listed with the reason why not', () => {
    expect(all.length).toBeGreaterThan(30);
    expect(all.filter((each) => !isNotRun(each) && RUN_BY[each.page] === undefined)).toEqual([]);
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
    const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
    const isScript = (name: string) => Object.hasOwn(scripts, name);

    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ program, line }) => program.startsWith('npm') && !isScript(line.split(' ')[0]!))).toEqual([]);
    const unknown = named
      .filter(({ program }) => !program.startsWith('npm'))
      .map((each) => ({ ...each, unknown: readLine(each.line).unknown }));
    expect(unknown.filter((each) => each.unknown.length > 0)).toEqual([]);
  });
});

/** What stands between single backticks and is a command of ours or of npm. */
function inlineOf(page: string) {
  const text = readText(page).replaceAll(/^```[^]*?^```$/gm, '');
  return [...text.matchAll(/`(npm run|(?:npx )?vidimus|node bin\/vidimus\.js) ([^`]+)`/g)].map(
    ([, program = '', line = '']) => ({ page, program, line }),
  );
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
  const isServe = ({ command }: PageCommand) => / serve\b/.test(command);

  beforeAll(async () => {
    folder = await temporaryFolder();
    dns = await startDnsServer();
    ports = [await freshPort(), await freshPort()];
    const lines = wanted('docs/FIRST-HOUR.md');
    const serve = lines.findIndex(isServe);
    prepared = lines.slice(0, serve).map(({ command }) => sh(command).status);
    const args = lines[serve]!.command.split(' ').slice(2);
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

  const afterStart = wanted('docs/FIRST-HOUR.md').slice(wanted('docs/FIRST-HOUR.md').findIndex(isServe) + 1);
  it.each([...afterStart, ...wanted('docs/OPERATING.md')])('$page: $command', ({ command }) => {
    const { status, stdout, stderr } = sh(command);

    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(command.startsWith('curl') ? /"verify_keys":\{"ed25519:/ : /^/);
  });

  it('docs/INSTALL.md: a doctor tells all it looks at, beside a server that runs', async () => {
    const [doctor] = wanted('docs/INSTALL.md').map(({ command }) => command);
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
    const [create, ask] = wanted('docs/GRAPHQL.md').map(({ command }) => command);
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
