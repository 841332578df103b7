import net from 'node:net';

import { listenOnFreshPort } from '../fresh-port.js';

/** What a hostile server does with one connection, after the request's head has come (or at once). */
export type Misbehaviour = (socket: net.Socket) => void;

/** A TCP server on loopback that answers bytes of its own. */
export interface HostileOrigin {
  readonly port: number;
  url(path?: string): string;
  /** What is done with connections from now on. */
  behave: Misbehaviour;
  /** Connections accepted so far, and open now. */
  readonly connections: { count: number; open: number };
  /** Resolves when no connection is open any more. */
  released(): Promise<void>;
  close(): Promise<void>;
}

const FLOOD_PIECE_LENGTH = 65_536;

/** Writes the same piece again and again, as fast as the other side reads. */
export function flood(head: string, piece: string, encoding: 'utf8' | 'latin1' = 'utf8'): Misbehaviour {
  const pieces = Buffer.from(piece.repeat(Math.ceil(FLOOD_PIECE_LENGTH / piece.length)), encoding);
  return (socket) => {
    socket.write(head);
    const more = (): void => {
      while (socket.writable && socket.write(pieces));
    };
    socket.on('drain', more);
    more();
  };
}

/** Writes the same piece every few milliseconds, for ever. */
export function drip(head: string, piece: string, everyMs = 5): Misbehaviour {
  return (socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write(piece), everyMs);
    socket.once('close', () => clearInterval(timer));
  };
}

/** Writes the bytes given and ends the connection. */
export function say(...bytes: (string | Buffer)[]): Misbehaviour {
  return (socket) => {
    for (const piece of bytes) socket.write(piece);
    socket.end();
  };
}

/** Writes the bytes given and keeps the connection open. */
export function sayAndHold(...bytes: (string | Buffer)[]): Misbehaviour {
  return (socket) => {
    for (const piece of bytes) socket.write(piece);
  };
}

/** Starts a server that says nothing until it is told how to behave. */
export async function startHostileOrigin(address = '127.0.0.1'): Promise<HostileOrigin> {
  const sockets = new Set<net.Socket>();
  const connections = { count: 0, open: 0 };
  const waiting: (() => void)[] = [];
  const server = net.createServer((socket) => {
    connections.count += 1;
    connections.open += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => origin.behave(socket));
    socket.once('close', () => {
      connections.open -= 1;
      sockets.delete(socket);
      if (connections.open === 0) for (const resolve of waiting.splice(0)) resolve();
    });
  });
  const port = await listenOnFreshPort(server, address);
  const origin: HostileOrigin = {
    port,
    url: (path = '/') => `http://${address}:${port}${path}`,
    behave: () => {},
    connections,
    released: () =>
      new Promise<void>((resolve) => {
        if (connections.open === 0) resolve();
        else waiting.push(resolve);
      }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return origin;
}
