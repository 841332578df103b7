import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { sampleImage } from '../core/preview/media/sample-images.js';
import { createToken } from '../support/clients/preview-client.js';
import { page } from '../support/origins/remote-site.js';
import { startPreviewKit, tagged, type PreviewKit } from '../rest/clients/preview/preview-kit.js';
import { temporaryFolder } from '../cli/vidimus.js';
import { blocksOf } from './page-commands.js';
import { readText } from './repository-files.js';

const API = readText('docs/API.md');
const run = promisify(execFile);

const [CURL = ''] = blocksOf('docs/API.md');
const SCRIPT = /```js\n([^]*?)```/.exec(API)?.[1] ?? '';

describe('docs/API.md', () => {
  let kit: PreviewKit;
  let token: string;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
    kit = await startPreviewKit();
    token = await createToken(kit.service, '@bob:notary.test');
    kit.serve('/view.jpg', page(await sampleImage(1200, 800).jpeg().toBuffer(), { type: 'image/jpeg' }));
    kit.serve('/page', tagged({ 'og:title': 'A title', 'og:image': '/view.jpg' }));
  });
  afterAll(async () => {
    await kit.remove();
    await folder.remove();
  });
  const runClient = async (link: string) => {
    const file = join(folder.path, 'client.mjs');
    await writeFile(file, SCRIPT);
    return run(process.execPath, [file, kit.service.url, token, link]);
  };

  it('has an example in curl that shows a preview', async () => {
    const env = { ...process.env, SERVER: kit.service.url, TOKEN: token, LINK: kit.url('/page') };
    const { stdout } = await run('sh', ['-c', CURL], { env });

    expect(JSON.parse(stdout)).toMatchObject({ 'og:title': 'A title', 'og:image:width': 1200 });
  });

  it('has an example in JavaScript, of some twenty lines, that shows title and image', async () => {
    expect(SCRIPT.split('\n').length).toBeLessThanOrEqual(25);
    expect((await runClient(kit.url('/page'))).stdout).toBe('A title\nimage/jpeg true\n');
  });

  it('has an example that tells an error with its reason', async () => {
    await expect(runClient(kit.url('/absent'))).rejects.toMatchObject({
      stderr: expect.stringContaining('502 M_UNKNOWN http_status: Got error 404') as string,
    });
  });

  it.each([
    ['/_svc/media/v3/preview_url', 401, 'missing_token'],
    ['/_svc/media/v3/preview_url?access_token=x&url=y', 401, 'unknown_token'],
    ['/_svc/media/v3/download/notary.test/x?access_token=TOKEN', 404, 'not_found'],
    ['/_svc/media/v3/preview_url?access_token=TOKEN', 400, 'missing_param'],
    ['/_svc/media/v3/preview_url?access_token=TOKEN&url=http://10.0.0.1/', 403, 'address_blocked'],
    ['/_svc/nowhere', 404, 'unrecognized'],
    ['/_svc/key/v2/query/%ff', 400, 'invalid_param'],
  ])('%s is %i with the reason %s, for pages of other sites, too', async (path, status, reason) => {
    const answer = await fetch(`${kit.service.url}${path.replace('TOKEN', token)}`);

    expect([answer.status, answer.headers.get('error-reason')]).toEqual([status, reason]);
    expect(answer.headers.get('access-control-expose-headers')).toContain('Error-Reason');
    expect(API).toContain(`\`${reason}\``);
  });

});

it('a name that leads to a refused address has the reason of one without any', async () => {
  const { publicReason } = await import('../../src/core/base/errors/public-reason.js');
  const { blockedLiteral, blockedName } = await import('../../src/core/base/errors/outbound-error.js');

  expect(publicReason(blockedName('intern.example', '10.0.0.1', 'blocked'))).toBe('dns_no_address');
  expect(publicReason(blockedLiteral('10.0.0.1', 'blocked'))).toBe('address_blocked');
});
