import type { TestService } from './service.js';

/** A preview as answered. */
export interface PreviewAnswer {
  status: number;
  headers: Headers;
  text: string;
  body: Record<string, string | number | null>;
}

/** An access token of our own for a user. */
export async function createToken(service: TestService, userId = '@alice:notary.test'): Promise<string> {
  const { token } = await service.context.accessTokens.create({ userId, label: 'test', expiresTs: null });
  return token;
}

/** Asks for a preview of `url` as a client does. */
export async function preview(
  service: TestService,
  token: string,
  url: string,
  ts?: number,
): Promise<PreviewAnswer> {
  const query = new URLSearchParams({ url, ...(ts === undefined ? {} : { ts: String(ts) }) });
  const response = await fetch(`${service.url}/_svc/media/v3/preview_url?${query.toString()}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: JSON.parse(text) as PreviewAnswer['body'],
  };
}

/** Loads the media of a content URI as a client does. */
export function loadMedia(service: TestService, token: string, contentUri: unknown): Promise<Response> {
  const path = String(contentUri).replace(/^[a-z]+:\/\//, '');
  return fetch(`${service.url}/_svc/client/v1/media/download/${path}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
}
