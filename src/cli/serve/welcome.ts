import { dirname, join } from 'node:path';
import type { AppContext } from '../../composition/context.js';
import type { OpenListener, Service } from '../../server/service.js';
import { VERSION } from '../../config/version.js';
import { programHere, shortPath } from '../invocation.js';
import { note, styleFor, type Style } from '../terminal.js';
import { inviteAdmin, type AdminInvitation } from './admin-invitation.js';
import { trialToken } from './trial-token.js';

const TOKEN_FILE = 'access-token';

/** What a first start shows on standard error: where everything is, what to try, what to do next. */
export async function showWelcome(context: AppContext, service: Service): Promise<void> {
  const { config, access } = context;
  const folder = dirname(config.signing_key_path ?? config.database.path);
  const tokenPath = join(folder, TOKEN_FILE);
  const token = await trialToken(access.tokens, tokenPath);
  const style = styleFor(process.stderr);
  const invitation = await inviteAdmin(context, service);
  const lines = [
    style.bold(`Vidimus ${VERSION} is ready.`) + ` It calls itself ${config.server_name}, for trying out.`,
    ...section(style, 'Where', locations(service.addresses(), folder)),
    ...(invitation === null ? [] : section(style, 'Operators', operators(style, invitation))),
    ...section(style, 'Try', suggestions(context, service.addresses(), token)),
    ...section(style, 'Access token', [
      style.good(token),
      style.dim(`for "Authorization: Bearer …"; kept in ${shown(tokenPath)}`),
    ]),
    ...section(style, 'Next: a name and settings of your own', nextSteps()),
  ];
  note('', ...lines.map((line) => (line === '' ? '' : `  ${line}`)), '');
}

function section(style: Style, title: string, lines: readonly string[]): string[] {
  return ['', style.bold(title), ...lines.map((line) => `  ${line}`)];
}

function locations(listeners: readonly OpenListener[], folder: string): string[] {
  const width = Math.max(...listeners.map(({ url }) => url.length));
  return [
    ...listeners.map(({ url, resources }) => `${url.padEnd(width)}  ${resources.join(', ')}`),
    `${shown(folder).padEnd(width)}  database and signing key`,
  ];
}

function operators(style: Style, { url, code, lifetime }: AdminInvitation): string[] {
  const another = `${here().command} admin sign-in-code`;
  return [
    `${url}  sign in with the code ${style.good(code)}`,
    style.dim(`once, within ${lifetime}; another one: ${another}`),
  ];
}

function suggestions(
  { config, parts }: AppContext,
  listeners: readonly OpenListener[],
  token: string,
): string[] {
  const keyPath = `${parts.dialect.pathPrefix}/key/v2`;
  const ownRecord = [
    ['# our own record, as peers fetch it', 'keys', `${keyPath}/server`],
    ['# the notary, asked about this server', 'keys', `${keyPath}/query/${config.server_name}`],
  ];
  const remote = [['# the notary, asked about a server it has never seen', 'keys', `${keyPath}/query`]];
  const previewPath = `${parts.dialect.pathPrefix}/media/v3/preview_url?url=https://example.org/`;
  const preview = [['# what a link holds, before it is opened', 'previews', previewPath]];
  const operation = [
    ['# is it ready?', 'health', '/health/ready'],
    ['# numbers for Prometheus', 'metrics', '/metrics'],
  ];
  const isMatrix = parts.dialect.name === 'matrix';
  const wanted = [...preview, ...ownRecord, ...(isMatrix ? remote : []), ...operation];
  return wanted.flatMap(([remark = '', resource = '', path = '']) => {
    const listener = listeners.find(({ resources }) => resources.includes(resource));
    if (listener === undefined) return [];
    const body = path.endsWith('/query') ? ` -d '${REMOTE_QUERY}'` : '';
    if (resource !== 'previews') return [remark, `curl ${listener.url}${path}${body}`];
    return [remark, `curl -H 'Authorization: Bearer ${token}' '${listener.url}${path}'`];
  });
}

const REMOTE_QUERY = '{"server_keys":{"matrix.org":{"ed25519:a_RXGa":{}}}}';

function nextSteps(): string[] {
  const { command, start } = here();
  return [
    `${command} config generate --server-name example.org --output config.yaml`,
    `${start} --config config.yaml`,
  ];
}

function here(): { command: string; start: string } {
  return programHere({ script: process.argv[1] ?? '', cwd: process.cwd() });
}

function shown(path: string): string {
  return shortPath(path, process.cwd());
}
