import { connect, type Socket } from 'node:net';

/** One answer as it came over the wire. */
export interface RawAnswer {
  status: number;
  /** Lower-case names. */
  headers: Map<string, string>;
  body: string;
}

/** A TCP connection to the service, for requests that no HTTP client would send. */
export interface RawConnection {
  socket: Socket;
  /** Everything received so far. */
  received(): string;
  /** The next whole answer. Rejects when the connection ends before. */
  answer(): Promise<RawAnswer>;
  /** Resolves when the service has closed the connection. */
  closed: Promise<void>;
}

/** Opens a connection and sends the text as it stands. */
export function openRaw(baseUrl: string, text: string | Buffer): RawConnection {
  const { hostname, port } = new URL(baseUrl);
  let received = Buffer.alloc(0);
  let wake = (): void => {};
  let ended = false;
  const socket = connect(Number(port), hostname, () => socket.write(text));
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  const closed = new Promise<void>((resolve) => {
    const finish = (): void => {
      ended = true;
      wake();
      resolve();
    };
    socket.on('error', finish).on('end', finish).on('close', finish);
  });
  const answer = async (): Promise<RawAnswer> => {
    for (;;) {
      const parsed = takeAnswer(received);
      if (parsed !== null) {
        received = received.subarray(parsed.bytes);
        return parsed.answer;
      }
      if (ended) throw new Error(`connection ended after ${JSON.stringify(received.toString('latin1'))}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { socket, received: () => received.toString('latin1'), answer, closed };
}

/** Sends the text on a connection of its own and resolves with the first answer. */
export async function sendRaw(baseUrl: string, text: string | Buffer): Promise<RawAnswer> {
  const connection = openRaw(baseUrl, text);
  try {
    return await connection.answer();
  } finally {
    connection.socket.destroy();
  }
}

function takeAnswer(received: Buffer): { answer: RawAnswer; bytes: number } | null {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const [statusLine = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const bytes = headEnd + 4 + Number(headers.get('content-length') ?? 0);
  if (received.length < bytes) return null;
  const body = received.subarray(headEnd + 4, bytes).toString('utf8');
  return { answer: { status: Number(statusLine.split(' ')[1]), headers, body }, bytes };
}
