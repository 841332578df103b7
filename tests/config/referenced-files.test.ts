import { beforeAll, describe, expect, it } from 'vitest';

import { createTestCa, type TestCertificate } from '../support/origins/test-ca.js';
import { createConfigFolder } from './support.js';
import { setUp } from '../support/set-up.js';

const folder = setUp(createConfigFolder);
let leaf: TestCertificate;

beforeAll(async () => {
  const ca = await createTestCa();
  leaf = await ca.leaf({ names: ['a.org'] });
  const other = await ca.leaf({ names: ['a.org'] });
  await folder.write('ca.pem', ca.caPem);
  await folder.write('tls.crt', leaf.cert);
  await folder.write('tls.key', leaf.key);
  await folder.write('other.key', other.key);
  await folder.write('text.pem', 'nothing of that kind');
  await folder.write('damaged.pem', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  await folder.write('password', 'hunter2\n');
  await folder.write('open-password', 'hunter2\n', 0o644);
  await folder.write('empty-password', '\n');
});

const POSTGRES = 'database: {engine: postgresql, url: "postgresql://u@h/d", password_path: ';
const tls = (certificate: string, key: string) =>
  `tls_certificate_path: ${certificate}\ntls_private_key_path: ${key}`;

describe('files named by the configuration', () => {
  it('are read and given beside it, so that it can be printed', async () => {
    const text = `server_name: a.org\nfederation_custom_ca_list: [ca.pem]\n${tls('tls.crt', 'tls.key')}\n${POSTGRES}password}`;

    const loaded = await folder.load(text);

    expect(loaded.ok && loaded.files.databasePassword).toBe('hunter2');
    expect(loaded.ok && loaded.files.federationCaPems).toHaveLength(1);
    expect(loaded.ok && loaded.files.tlsCertificatePem).toBe(leaf.cert);
    expect(loaded.ok && loaded.files.tlsPrivateKeyPem).toBe(leaf.key);
    expect(JSON.stringify(loaded.ok && loaded.config)).not.toContain('hunter2');
  });

  it.each([
    [
      `${POSTGRES}open-password}`,
      'database.password_path: names a file that every user of this machine can read; run: chmod 600',
    ],
    [`${POSTGRES}.}`, 'database.password_path: names a folder'],
    [
      'federation_custom_ca_list: [ca.pem, text.pem]',
      'federation_custom_ca_list[1]: names a file without a PEM certificate',
    ],
    [tls('tls.crt', 'other.key'), 'tls_private_key_path: is not the key of the certificate'],
    [tls('tls.crt', 'tls.crt'), 'tls_private_key_path: names a file without a usable PEM private key'],
  ])('%s is refused', async (text, expected) => {
    const errors = await folder.errors(`server_name: a.org\n${text}`);

    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(expected);
    expect(errors[0]).toMatch(/^config\.yaml:2:\d+  |^config\.yaml:3:\d+  /);
  });
});
