import net from 'node:net';

/** One socket reads at a time, so that all connections share the buffer. */
const BUFFER = Buffer.allocUnsafe(512 * 1024);
const HEAD_END = '\r\n\r\n';
const LENGTH = '\r\ncontent-length: ';

/**
 * An HTTP/1.1 connection that sends one request after the other. Reads no more of an answer than its
 * status and Content-Length, so that the generator is never what limits the rate.
 */
export class KeepAliveConnection {
  #head = '';
  #remainingBytes = 0;
  #onAnswer: (() => void) | null = null;
  #onBroken: ((error: Error) => void) | null = null;
  #socket: net.Socket | null = null;

  static async open(port: number): Promise<KeepAliveConnection> {
    const connection = new KeepAliveConnection();
    await new Promise<void>((resolve, reject) => {
      const onread = { buffer: BUFFER, callback: (bytes: number) => connection.#read(bytes) };
      const socket = net.connect({ port, host: '127.0.0.1', noDelay: true, onread }, resolve);
      connection.#socket = socket;
      socket.on('error', (error) => {
        reject(error);
        connection.#onBroken?.(error);
      });
      socket.on('close', () => connection.#onBroken?.(new Error('the server closed the connection')));
    });
    return connection;
  }

  /** Sends requests until the time is over; resolves with how long each one took, in ms. */
  repeat(next: () => Buffer, untilMs: number): Promise<number[]> {
    return new Promise((resolve, reject) => {
      const latencies: number[] = [];
      let sentMs = performance.now();
      this.#onBroken = reject;
      this.#onAnswer = () => {
        const nowMs = performance.now();
        latencies.push(nowMs - sentMs);
        if (nowMs >= untilMs) {
          this.#onBroken = null;
          resolve(latencies);
          return;
        }
        sentMs = nowMs;
        this.#socket?.write(next());
      };
      this.#socket?.write(next());
    });
  }

  close(): void {
    this.#onBroken = null;
    this.#socket?.destroy();
  }

  #read(bytes: number): boolean {
    if (this.#remainingBytes > 0) this.#took(bytes);
    else this.#readHead(bytes);
    return true;
  }

  #readHead(bytes: number): void {
    const before = this.#head.length;
    const head = this.#head + BUFFER.toString('latin1', 0, Math.min(bytes, 4096));
    const end = head.indexOf(HEAD_END);
    if (end === -1) {
      this.#head = head;
      return;
    }
    this.#head = '';
    const at = head.slice(0, end).toLowerCase().indexOf(LENGTH);
    if (!head.startsWith('HTTP/1.1 200 ') || at === -1) {
      this.#onBroken?.(new Error(`unexpected answer: ${head.slice(0, 200)}`));
      this.close();
      return;
    }
    this.#remainingBytes = Number.parseInt(head.slice(at + LENGTH.length, at + LENGTH.length + 12), 10);
    this.#took(bytes - (end + HEAD_END.length - before));
  }

  #took(bytes: number): void {
    this.#remainingBytes -= bytes;
    if (this.#remainingBytes === 0) this.#onAnswer?.();
    else if (this.#remainingBytes < 0) this.#onBroken?.(new Error('more bytes than announced'));
  }
}
