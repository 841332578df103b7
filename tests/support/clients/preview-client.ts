import type { TestService } from '../service.js';

/** A preview as answered. */
export interface PreviewAnswer {
  status: number;
  headers: Headers;
  text: string;
  body: Record<string, string | number | null>;
}

/** An access token of our own for a user. */
export async function createToken(service: TestService, userId = '@alice:notary.test'): Promise<string> {
  const { token } = await service.context.access.tokens.create({ userId, label: 'test', expiresTs: null });
  return token;
}

/** Asks for a preview of `url` as a client does. */
export function preview(
  service: TestService,
  token: string,
  url: string,
  ts?: number,
): Promise<PreviewAnswer> {
  const query = new URLSearchParams({ url, ...(ts === undefined ? {} : { ts: String(ts) }) });
  return ask(service, `/_svc/media/v3/preview_url?${query.toString()}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
}

/** Any request to the service, its answer read as JSON; an empty answer is an empty object. */
export async function ask(service: TestService, target: string, init?: RequestInit): Promise<PreviewAnswer> {
  const response = await fetch(service.url + target, init);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: JSON.parse(text === '' ? '{}' : text) as PreviewAnswer['body'],
  };
}

/** Loads the media of a content URI as a client does. */
export function loadMedia(service: TestService, token: string, contentUri: unknown): Promise<Response> {
  return fetch(`${service.url}/_svc/client/v1/media/download/${mediaPath(contentUri)}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
}

/** Server name and media id of a content URI, as they stand in media paths. */
export function mediaPath(contentUri: unknown): string {
  return String(contentUri).replace(/^[a-z]+:\/\//, '');
}
