import type { AddressInfo, Server } from 'node:net';

/** Of the whole process, as ports are. */
const given = new Set<number>();

/**
 * Has a server listen on a port that was not given here before, and returns it: the system hands ports of closed
 * servers out again, and a service under test still knows the one that had it before.
 */
export async function listenOnFreshPort(server: Server, address: string): Promise<number> {
  for (;;) {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, address, () => {
        server.off('error', reject);
        resolve();
      });
    });
    const { port } = server.address() as AddressInfo;
    if (!given.has(port)) {
      given.add(port);
      return port;
    }
    await new Promise((resolve) => server.close(resolve));
  }
}
