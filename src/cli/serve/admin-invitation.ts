import { formatDuration } from '../../config/kinds/units.js';
import type { Config } from '../../config/schema.js';
import { SIGN_IN_CODE_LIFETIME_MS } from '../../core/access/operators/sign-in-codes.js';
import type { AppContext } from '../../composition/context.js';
import type { OpenListener, Service } from '../../server/service.js';
import { note } from '../terminal.js';

/** Where operators' pages are and a one-time code that opens them. */
export interface AdminInvitation {
  url: string;
  code: string;
  /** How long the code can be used, such as `15m`. */
  lifetime: string;
}

/** The address of the operators' pages as browsers see it; `null` when no listener serves them. */
function adminUrl({ admin }: Config, listeners: readonly OpenListener[]): string | null {
  const listener = listeners.find(({ resources }) => resources.includes('admin'));
  if (listener === undefined) return null;
  const base = admin.public_url === null ? listener.url : new URL(admin.public_url).origin;
  return `${base}${admin.base_path}/`;
}

/** Makes a code for an admin; `null` when no listener serves the pages. */
export async function inviteAdmin(context: AppContext, service: Service): Promise<AdminInvitation | null> {
  const { config, access } = context;
  const url = adminUrl(config, service.addresses());
  if (url === null) return null;
  const { code } = await access.codes.create('admin');
  return { url, code, lifetime: formatDuration(SIGN_IN_CODE_LIFETIME_MS) };
}

/**
 * Prints address and code when nobody could sign in yet: no admin token, no account, no sign-in ever. On standard
 * error itself, because log lines are kept and passed on.
 */
export async function inviteFirstAdmin(context: AppContext, service: Service): Promise<void> {
  const { tokens, accounts, auditLog } = context.access;
  if (accounts.isEnabled || (await tokens.hasAdmin()) || (await auditLog.has('signIn'))) return;
  const invitation = await inviteAdmin(context, service);
  if (invitation === null) return;
  const { url, code, lifetime } = invitation;
  note(`Operators' pages: ${url} – sign in with the code ${code} (once, within ${lifetime})`);
}
