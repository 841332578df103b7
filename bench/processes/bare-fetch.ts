import { createPublicKey, verify } from 'node:crypto';
import { promises as dns } from 'node:dns';
import https from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';

import { encodeCanonicalJson, type JsonObject } from '../../src/core/base/json/json-value.js';
import { serveJobs } from '../support/child.js';

/** Servers to fetch from, each by its name with a port. */
export interface BareFetchJob {
  serverNames: readonly string[];
  caPem: string;
  /** `address:port` of the name server. */
  dnsServer: string;
  atOnce: number;
}

/** What a published record is checked by. */
interface PublishedRecord extends JsonObject {
  server_name: string;
  verify_keys: Record<string, { key: string }>;
  signatures: Record<string, Record<string, string>>;
}

/** SPKI of an Ed25519 key before its 32 bytes. */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

function hasItsSignatures({ signatures, ...signed }: PublishedRecord): boolean {
  const text = Buffer.from(encodeCanonicalJson(signed));
  return Object.entries(signatures[signed.server_name] ?? {}).every(([keyId, signature]) => {
    const raw = Buffer.from(signed.verify_keys[keyId]?.key ?? '', 'base64');
    const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, raw]), format: 'der', type: 'spki' });
    return verify(null, text, key, Buffer.from(signature, 'base64'));
  });
}

async function get(serverName: string, address: string, secureContext: SecureContext): Promise<Buffer> {
  const [host = '', port] = serverName.split(':');
  return new Promise((resolve, reject) => {
    const headers = { Host: serverName };
    const options = {
      host: address,
      port,
      path: '/_svc/key/v2/server',
      headers,
      servername: host,
      secureContext,
      agent: false,
    };
    https
      .get(options, (response) => {
        const chunks: Buffer[] = [];
        response
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', () => resolve(Buffer.concat(chunks)));
      })
      .on('error', reject);
  });
}

/** The least that a fetch is with Node: two look-ups, a connection over TLS, a GET, and the record's signatures. */
serveJobs(async ({ serverNames, caPem, dnsServer, atOnce }: BareFetchJob): Promise<number> => {
  const secureContext = createSecureContext({ ca: caPem });
  const waiting = [...serverNames];
  let verified = 0;
  const fetchNext = async (): Promise<void> => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const [host = ''] = name.split(':');
      const resolver = new dns.Resolver();
      resolver.setServers([dnsServer]);
      const looked = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      const address = looked[0].status === 'fulfilled' ? looked[0].value[0] : undefined;
      if (address === undefined) throw new Error(`${host} has no address`);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the bench's own origins
      const record = JSON.parse(
        (await get(name, address, secureContext)).toString('utf8'),
      ) as PublishedRecord;
      if (hasItsSignatures(record)) verified += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, fetchNext));
  return verified;
});
