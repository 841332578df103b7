import http from 'node:http';

import { listenOnFreshPort } from '../fresh-port.js';

/** One request as it came. */
export interface ReceivedHook {
  headers: http.IncomingHttpHeaders;
  /** Byte for byte. */
  body: string;
  json: Record<string, unknown> & { server_name?: string; kind?: string };
}

/** Receives webhooks. */
export interface WebhookReceiver {
  url: string;
  port: number;
  received: ReceivedHook[];
  /** Status of answers from now on, by request. */
  answer: (request: ReceivedHook, response: http.ServerResponse) => void;
  close(): Promise<void>;
}

/** Starts one on loopback, on a free port or on the one it had. */
export async function startWebhookReceiver(port?: number): Promise<WebhookReceiver> {
  const received: ReceivedHook[] = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const hook = { headers: request.headers, body, json: JSON.parse(body) as ReceivedHook['json'] };
      received.push(hook);
      receiver.answer(hook, response);
    });
  });
  const listen = (at: number) =>
    new Promise<number>((resolve, reject) =>
      server.once('error', reject).listen(at, '127.0.0.1', () => resolve(at)),
    );
  const at = port === undefined ? await listenOnFreshPort(server, '127.0.0.1') : await listen(port);
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${at}/hook?token=x`,
    port: at,
    received,
    answer: (_request, response) => void response.writeHead(204).end(),
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return receiver;
}
