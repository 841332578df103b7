import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createSigningKeyFile,
  loadSigningKeys,
  parseSigningKeys,
} from '../../../../src/core/notary/signing/signing-key-file.js';

const SEED = 'YJDBA9Xnr2sVqXD9Vj7XVUnmFZcZrlw8Md7kMW+3XA1';
const OTHER = Buffer.alloc(32, 7).toString('base64');

describe('text form', () => {
  test('several keys are read in order; blank lines, comments, padding and CRLF are tolerated', () => {
    const text = `# ours\r\n\r\ned25519 a_AbCd ${SEED}\r\n\n  ed25519\tnew_1 ${OTHER}  \n`;
    const keys = parseSigningKeys(text, 'test');
    expect(keys.map((key) => key.keyId)).toEqual(['ed25519:a_AbCd', 'ed25519:new_1']);
    expect(keys[0]?.publicKeyBase64).toBe('XGX0JRS2Af3be3knz2fBiRbApjm2Dh61gXDJA8kcJNI');
  });

  test.each([
    [`ed25519 ${SEED}`, 'less than three words'],
    [`ed25519 a ${SEED} x`, 'more than three words'],
    [`rsa a ${SEED}`, 'the algorithm "rsa"'],
    [`ed25519 a-b ${SEED}`, 'the version "a-b"'],
    [`ed25519 ${'v'.repeat(65)} ${SEED}`, 'the version'],
    [`ed25519 a ${SEED}!`, 'a seed that is not Base64'],
    ['ed25519 a Zm9v', 'a seed of 3 bytes'],
    ['-----BEGIN PRIVATE KEY-----', 'found'],
  ])('%s: the error names line, finding and wanted form, never the seed', (line, found) => {
    const parse = () => parseSigningKeys(`# head\n\n${line}\n`, 'my.key');
    expect(parse).toThrow(found);
    expect(parse).toThrow('my.key, line 3: ');
    expect(parse).toThrow('wanted: ed25519 VERSION SEED (32 bytes in Base64)');
    expect(parse).not.toThrow(SEED);
  });

  test('a version used twice is refused with both lines', () => {
    expect(() => parseSigningKeys(`ed25519 a ${SEED}\ned25519 b ${SEED}\ned25519 a ${OTHER}`, 'f')).toThrow(
      /line 3: version a is already used in line 1/,
    );
  });
});

describe('file', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'signing-key-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('a new file has mode 0600, one line, and loads as the key that was returned', async () => {
    const path = join(folder, 'signing.key');
    const made = await createSigningKeyFile(path);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).toMatch(/^ed25519 a_[A-Za-z]{5} [A-Za-z0-9+/]{43}\n$/);
    const [loaded, ...rest] = await loadSigningKeys(path);
    expect(rest).toEqual([]);
    expect([loaded?.keyId, loaded?.publicKeyBase64]).toEqual([made.keyId, made.publicKeyBase64]);
  });

  test('an existing file is never overwritten', async () => {
    const path = join(folder, 'signing.key');
    await createSigningKeyFile(path);
    const before = await readFile(path, 'utf8');
    await expect(createSigningKeyFile(path)).rejects.toMatchObject({ reason: 'signing_key_file_exists' });
    expect(await readFile(path, 'utf8')).toBe(before);
  });

  test.each([0o644, 0o604, 0o620, 0o660, 0o666])(
    'mode %o is refused with file, mode and remedy',
    async (mode) => {
      const path = join(folder, 'signing.key');
      await createSigningKeyFile(path);
      await chmod(path, mode);
      const wanted = `Signing key file ${path} has mode 0${mode.toString(8)}: other users can read it. Run: chmod 600 ${path}`;
      await expect(loadSigningKeys(path)).rejects.toMatchObject({
        message: wanted,
        reason: 'signing_key_file_mode',
      });
      await chmod(path, 0o400);
      await expect(loadSigningKeys(path)).resolves.toHaveLength(1);
    },
  );

  test('a missing file, a folder and a huge file each have their reason', async () => {
    const huge = join(folder, 'huge');
    await writeFile(huge, '#'.repeat(70_000), { mode: 0o600 });
    await mkdir(join(folder, 'sub'), { mode: 0o700 });
    await expect(loadSigningKeys(join(folder, 'none'))).rejects.toMatchObject({
      reason: 'signing_key_file_missing',
    });
    await expect(loadSigningKeys(join(folder, 'sub'))).rejects.toMatchObject({
      reason: 'signing_key_file_type',
    });
    await expect(loadSigningKeys(huge)).rejects.toMatchObject({ reason: 'signing_key_file_size' });
  });
});
