import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Role } from '../../../src/core/access/operators/viewer.js';
import { startTestService, type TestService, type TestServiceOptions } from '../../support/service.js';

/** What a browser sends with a request of our own pages. */
export const FROM_PAGE = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };

/** Everything on one listener, the operators' side included. */
export function adminListeners(change: Record<string, unknown> = {}): Record<string, unknown> {
  const resources = ['keys', 'previews', 'media', 'health', 'metrics', 'admin'];
  return { listeners: [{ port: 0, bind_addresses: ['127.0.0.1'], resources, ...change }] };
}

/** Starts a service with the operators' side. */
export function startAdminService(options: TestServiceOptions = {}): Promise<TestService> {
  return startTestService({ ...options, settings: { ...adminListeners(), ...options.settings } });
}

/** A folder like the one Vite builds. */
export async function makeUiFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'vidimus-ui-'));
  await mkdir(join(path, 'assets'));
  const page =
    '<meta name="p" content="__BASE_PATH__"><script nonce="__CSP_NONCE__" src="__BASE_PATH__/assets/a-1.js">';
  await writeFile(join(path, 'index.html'), page);
  await writeFile(join(path, 'assets', 'a-1.js'), `console.log(1);${' '.repeat(2000)}`);
  await writeFile(join(path, 'assets', 'a-1.css'), 'body{}');
  await writeFile(join(path, 'secret.pem'), 'hidden');
  await writeFile(join(path, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Sends a body to the session's route as our own page does. */
export function postSession(
  service: TestService,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  const { base_path: basePath } = service.context.config.admin;
  return fetch(`${service.url}${basePath}/session`, {
    method: 'POST',
    headers: { ...FROM_PAGE, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** `name=value` of the cookie an answer sets. */
export function cookieOf(answer: Response): string {
  return answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}

/** A signed-in browser's cookie. */
export async function signInAs(service: TestService, role: Role): Promise<string> {
  const { code } = await service.context.access.codes.create(role);
  const answer = await postSession(service, { code });
  if (answer.status !== 200) throw new Error(`not signed in: ${answer.status} ${await answer.text()}`);
  return cookieOf(answer);
}

/** Code of the first error of an answer, as GraphQL writes it. */
export async function errorCode(answer: Response): Promise<string> {
  const { errors } = (await answer.json()) as { errors: [{ extensions: { code: string } }] };
  return errors[0].extensions.code;
}
