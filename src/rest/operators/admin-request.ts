import type { IncomingMessage } from 'node:http';

import type { AdminGate } from '../../core/access/operators/admin-gate.js';
import { hasRole, type Role, type Viewer } from '../../core/access/operators/viewer.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import { clientAddress } from '../request-exchange.js';

/** How requests to the operators' side are told apart. */
export interface AdminRequestOptions {
  gate: AdminGate;
  /** Whether a proxy in front states the client's address. */
  xForwarded: boolean;
}

/** Who makes the request; `null` for an anonymous client. Throws 403 for what another site may have sent. */
export function viewerOf(request: IncomingMessage, options: AdminRequestOptions): Promise<Viewer | null> {
  const { method = 'GET', headers } = request;
  return options.gate.identify({ method, headers, address: addressOf(request, options) });
}

/** The same for what needs a role. Throws 401 for anonymous clients and 403 below the role. */
export async function requireRole(
  role: Role,
  request: IncomingMessage,
  options: AdminRequestOptions,
): Promise<Viewer> {
  const viewer = await viewerOf(request, options);
  if (viewer === null) throw new ApiError(401, 'Sign in first', { errcode: 'M_UNKNOWN_TOKEN' });
  if (hasRole(viewer.role, role)) return viewer;
  throw new ApiError(403, `This needs the role ${role}`, {
    errcode: 'M_FORBIDDEN',
    extra: { requiredRole: role.toUpperCase() },
  });
}

/** Network address of the client; `null` when the connection is gone. */
export function addressOf(
  request: IncomingMessage,
  { xForwarded }: Pick<AdminRequestOptions, 'xForwarded'>,
): string | null {
  const address = clientAddress(request, xForwarded);
  return address === '' ? null : address;
}
