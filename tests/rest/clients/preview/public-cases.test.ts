import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { SITE_NAME, startPreviewKit } from './preview-kit.js';
import { setUp } from '../../../support/set-up.js';

/** One public report of a preview service that went wrong, as raw answers of the site. */
interface PublicCase {
  name: string;
  /** `true`: there is a value. */
  expected: Record<string, string | number | true>;
  /** Raw answers in Latin-1, served at `/NAME/FILE`; `input` is the one that is previewed. */
  files: Record<string, string>;
}

const CASES = JSON.parse(
  readFileSync(new URL('../../../vectors/public-cases.json', import.meta.url), 'utf8'),
) as PublicCase[];

const kit = setUp(() => startPreviewKit({ settings: { previews: { extraction: 'enhanced' } } }));
let origin: Server;
let port: number;

beforeAll(async () => {
  origin = createServer((socket) => {
    let head = '';
    socket.on('error', () => {});
    socket.on('data', (data) => {
      head += data.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      const [, name, file = ''] = /^GET \/([^/ ]+)\/([\w-]+)/.exec(head) ?? [];
      const raw = CASES.find((each) => each.name === name)?.files[file];
      socket.end(raw ?? 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n', 'latin1');
    });
  });
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
  port = (origin.address() as { port: number }).port;
});
afterAll(async () => {
  origin.close();
});

describe('what public reports say of other preview services', () => {
  it.each(CASES)('$name is right', async ({ name, expected }) => {
    const { status, body } = await kit.preview(`http://${SITE_NAME}:${port}/${name}/input`);

    const found = Object.entries(expected).map(([key, value]) => {
      const given = key === 'status' ? status : body[key];
      return [key, value === true ? given !== undefined : given];
    });
    expect(Object.fromEntries(found)).toEqual(expected);
  });
});
