import { createServer } from 'node:net';

/** Binds an address and lets go of it at once. Rejects as a listener would: the address is taken, or not ours. */
export async function probeAddress(host: string, port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, ipv6Only: host.includes(':') }, resolve);
  });
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
}
