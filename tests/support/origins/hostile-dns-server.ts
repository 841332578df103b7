import dgram from 'node:dgram';
import net from 'node:net';

import { listenOnFreshPort } from '../fresh-port.js';
import { encodeName, readQuestion } from './dns-server.js';

/** One question as it came, and what answers to it are made of. */
export interface HostileQuestion {
  readonly id: Buffer;
  readonly name: string;
  /** 1 A, 5 CNAME, 16 TXT, 28 AAAA, 33 SRV. */
  readonly type: number;
  /** The question as it stood in the packet. */
  readonly bytes: Buffer;
  readonly isTcp: boolean;
}

/** Packets to send, whatever they hold; over UDP anything above 65,507 bytes cannot be sent. */
export type HostileAnswer = (question: HostileQuestion) => readonly Buffer[];

/** A DNS server over UDP and TCP on loopback that answers as it likes. */
export interface HostileDnsServer {
  readonly address: string;
  close(): Promise<void>;
}

/** A whole message; `records` are parts made by `record`. */
export function message(
  { id, bytes }: Pick<HostileQuestion, 'id' | 'bytes'>,
  records: readonly Buffer[],
  flags = 0x8180,
): Buffer {
  const head = Buffer.alloc(12);
  id.copy(head);
  head.writeUInt16BE(flags, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, bytes, ...records]);
}

/** One record of any type; the name asked for is stated as a pointer to the question where `name` is absent. */
export function record(type: number, data: Buffer, { name, ttl = 60 }: { name?: string; ttl?: number } = {}) {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt32BE(ttl, 4);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([name === undefined ? Buffer.from([0xc0, 12]) : encodeName(name), head, data]);
}

/** Starts it; both transports listen at one port. */
export async function startHostileDnsServer(answer: HostileAnswer): Promise<HostileDnsServer> {
  const reply = (packet: Buffer, isTcp: boolean): readonly Buffer[] => {
    const { name, bytes } = readQuestion(packet);
    const type = bytes.readUInt16BE(bytes.length - 4);
    return answer({ id: packet.subarray(0, 2), name, type, bytes, isTcp });
  };
  const tcp = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (packet) => {
      for (const bytes of reply(packet.subarray(2), true)) {
        const length = Buffer.alloc(2);
        length.writeUInt16BE(bytes.length);
        socket.write(Buffer.concat([length, bytes]));
      }
    });
  });
  const port = await listenOnFreshPort(tcp, '127.0.0.1');
  const udp = dgram.createSocket('udp4');
  udp.on('message', (packet, from) => {
    for (const bytes of reply(packet, false)) udp.send(bytes, from.port, from.address);
  });
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${port}`,
    close: async () => {
      await new Promise<void>((resolve) => udp.close(() => resolve()));
      await new Promise<void>((resolve) => tcp.close(() => resolve()));
    },
  };
}
