import { rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import type { AppContext } from '../../composition/context.js';
import { formatDuration } from '../../config/kinds/units.js';
import { TRIAL_SERVER_NAME } from '../../config/load-config.js';
import { VERSION } from '../../config/version.js';
import { SIGN_IN_CODE_LIFETIME_MS } from '../../core/access/operators/sign-in-codes.js';
import type { OpenListener, Service } from '../../server/service.js';
import { note } from '../terminal.js';

const TRIAL_USER = `@operator:${TRIAL_SERVER_NAME}`;
const TRIAL_LABEL = 'created at the first start';
const LIFETIME = formatDuration(SIGN_IN_CODE_LIFETIME_MS);

/** What a first start shows on standard error: where everything is, what to try, what to do next. */
export async function showWelcome(context: AppContext, service: Service): Promise<void> {
  const { config, parts } = context;
  const folder = dirname(config.signing_key_path ?? config.database.path);
  const tokenPath = join(folder, 'access-token');
  const token = await trialToken(context, tokenPath);
  const invitation = await inviteAdmin(context, service);
  const listeners = service.addresses();
  const shown = (path: string): string => relative(process.cwd(), path) || '.';
  note(
    '',
    `  Vidimus ${VERSION} is ready. Its name is ${config.server_name}, for a trial.`,
    ...section('Where', [
      ...listeners.map(({ url, resources }) => `${url}  ${resources.join(', ')}`),
      `${shown(folder)}  database and signing key`,
    ]),
    ...(invitation === null
      ? []
      : section('Operators', [
          `${invitation.url}  sign in with the code ${invitation.code}`,
          `once, within ${LIFETIME}; another one: ${parts.program} admin sign-in-code`,
        ])),
    ...section('Try', suggestions(context, listeners, token)),
    ...section('Access token', [token, `for "Authorization: Bearer …"; kept in ${shown(tokenPath)}`]),
    ...section('Next: a name and settings of your own', [
      `${parts.program} config generate --server-name example.org --output config.yaml`,
      `${parts.program} serve --config config.yaml`,
    ]),
    '',
  );
}

function section(title: string, lines: readonly string[]): string[] {
  return ['', `  ${title}`, ...lines.map((line) => `    ${line}`)];
}

function suggestions(context: AppContext, listeners: readonly OpenListener[], token: string): string[] {
  const { pathPrefix } = context.parts.dialect;
  const wanted = [
    ['the preview of a link', 'previews', '/media/v3/preview_url?url=https://example.org/'],
    ['our own record, as peers fetch it', 'keys', '/key/v2/server'],
    ['the answer of the notary about this server', 'keys', `/key/v2/query/${context.config.server_name}`],
    ['readiness', 'health', '/health/ready'],
    ['Prometheus metrics', 'metrics', '/metrics'],
  ];
  return wanted.flatMap(([remark = '', resource = '', path = '']) => {
    const listener = listeners.find(({ resources }) => resources.includes(resource));
    if (listener === undefined) return [];
    const url = `${listener.url}${resource === 'keys' || resource === 'previews' ? pathPrefix : ''}${path}`;
    const isPreview = resource === 'previews';
    return [`# ${remark}`, `curl ${isPreview ? `-H 'Authorization: Bearer ${token}' '${url}'` : url}`];
  });
}

/**
 * Prints address and code while nobody could have signed in: no admin token, no account, no sign-in ever. On standard
 * error itself, because log lines are kept and passed on.
 */
export async function inviteFirstAdmin(context: AppContext, service: Service): Promise<void> {
  const { tokens, accounts, auditLog } = context.access;
  if (accounts.size > 0 || adminListener(service) === undefined) return;
  if ((await auditLog.has('signIn')) || (await tokens.hasAdmin())) return;
  const invitation = await inviteAdmin(context, service);
  if (invitation === null) return;
  const { url, code } = invitation;
  note(`Operators' pages: ${url} – sign in with the code ${code} (once, within ${LIFETIME})`);
}

const adminListener = (service: Service) =>
  service.addresses().find(({ resources }) => resources.includes('admin'));

/** Where the operators' pages are, with a one-time code that opens them; `null` when no listener serves them. */
async function inviteAdmin({ config, access }: AppContext, service: Service) {
  const { admin } = config;
  const listener = adminListener(service);
  if (listener === undefined) return null;
  const base = admin.public_url === null ? listener.url : new URL(admin.public_url).origin;
  const { code } = await access.codes.create('admin');
  return { url: `${base}${admin.base_path}/`, code };
}

/** A new access token for trying the service out, kept in a file (mode 0600); those of earlier starts have ended. */
async function trialToken(context: AppContext, path: string): Promise<string> {
  const about = { userId: TRIAL_USER, label: TRIAL_LABEL, expiresTs: null };
  const { token } = await context.access.tokens.create(about);
  await rm(path, { force: true });
  await writeFile(path, `${token}\n`, { mode: 0o600, flag: 'wx' });
  return token;
}

export async function endTrial({ access: { tokens }, parts }: AppContext): Promise<void> {
  const where = { userId: TRIAL_USER, label: TRIAL_LABEL, revokedTs: null };
  for (const { id } of await parts.database.client.accessToken.findMany({ where })) await tokens.revoke(id);
}
