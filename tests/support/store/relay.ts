import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Stands before a database server, and can keep its answers back. */
export interface Relay {
  url: string;
  holdAnswers(): void;
  passAnswers(): void;
  /** Whatever clients sent since answers were last held. */
  asked(): string;
  close(): Promise<void>;
}

/** `target`: URL of the server. */
export async function startRelay(target: string): Promise<Relay> {
  const { hostname, port } = new URL(target);
  const servers = new Set<Socket>();
  let asked: Buffer[] = [];
  const relay = createServer((client) => {
    const server = connect(Number(port), hostname);
    servers.add(server);
    client.on('data', (part) => asked.push(part));
    client.pipe(server).pipe(client);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    server.on('close', () => servers.delete(server));
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const url = new URL(target);
  url.host = `127.0.0.1:${(relay.address() as AddressInfo).port}`;
  return {
    url: url.href,
    holdAnswers: () => {
      asked = [];
      for (const server of servers) server.pause();
    },
    passAnswers: () => {
      for (const server of servers) server.resume();
    },
    asked: () => Buffer.concat(asked).toString('latin1'),
    close: async () => {
      relay.close();
      await once(relay, 'close');
    },
  };
}
