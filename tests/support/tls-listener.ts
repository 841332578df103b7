import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { TestAuthority } from './origins/remote-server.js';

/** Settings of one listener for TLS, whose certificate of that authority is beside its own. */
export async function tlsListener(authority: TestAuthority): Promise<Record<string, unknown>> {
  const folder = dirname(authority.caPath);
  const { cert, key } = await authority.leaf({ names: ['127.0.0.1'] });
  const [certificate, privateKey] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  await writeFile(certificate, cert);
  await writeFile(privateKey, key, { mode: 0o600 });
  return {
    listeners: [{ port: 0, tls: true, resources: ['health'] }],
    tls_certificate_path: certificate,
    tls_private_key_path: privateKey,
  };
}
