import { readFile } from 'node:fs/promises';

import { beforeAll, describe, expect, it } from 'vitest';

interface Location {
  name: string;
  pattern: RegExp | null;
  body: string;
}

const OURS = 'http://127.0.0.1:8008';
const HOMESERVER = 'http://127.0.0.1:8018';
const IMAGE = '2026-01-02_ABCDEFGHIJKLMNop';

/** The lines for nginx in the README, in their order. */
let locations: Location[];

beforeAll(async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const block = /```nginx\n([^]*?)```/.exec(readme)?.[1] ?? '';
  locations = [...block.matchAll(/^location (?:(~) )?("[^"]*"|\S+) \{([^]*?)\n?\}$/gm)].map(
    ([, isPattern, name = '', body = '']) => ({
      name,
      pattern: isPattern === undefined ? null : new RegExp(name.replaceAll('"', '')),
      body,
    }),
  );
});

/** nginx takes the first regular expression that matches, in the order of the file. */
const chosen = (path: string) => locations.find(({ pattern }) => pattern?.test(path) === true);
const destination = (location?: Location) => /proxy_pass (\S+);/.exec(location?.body ?? '')?.[1];

describe("the README's lines for nginx", () => {
  it.each([
    ['/_matrix/client/v1/media/preview_url', OURS],
    ['/_matrix/media/v3/preview_url', OURS],
    [`/_matrix/client/v1/media/download/example.org/${IMAGE}`, OURS],
    [`/_matrix/media/r0/thumbnail/example.org/${IMAGE}`, OURS],
    [`/_matrix/media/v3/download/example.org/${IMAGE}/name.png`, OURS],
    ['/_matrix/key/v2/query', OURS],
    ['/_matrix/key/v2/query/other.org', OURS],
    ['/_matrix/key/v2/server', HOMESERVER],
    ['/_matrix/media/v3/download/example.org/AbCdEf', HOMESERVER],
    [`/_matrix/media/v3/download/other.org/${IMAGE}`, HOMESERVER],
    ['/_matrix/client/v3/sync', HOMESERVER],
  ])('send %s to %s, although the homeserver has a location for it', (path, wanted) => {
    expect(destination(chosen(path))).toBe(wanted);
  });

  it('set the address of the client wherever they send a request', () => {
    expect(locations).toHaveLength(5);
    for (const { body } of locations)
      expect(body).toContain('proxy_set_header X-Forwarded-For $remote_addr;');
  });

  it('show the place they fall back to', () => {
    const [, name] =
      /error_page 404 = (@\w+);/.exec(
        chosen(`/_matrix/media/v3/download/example.org/${IMAGE}`)?.body ?? '',
      ) ?? [];
    expect(destination(locations.find((location) => location.name === name))).toBe(HOMESERVER);
  });
});
