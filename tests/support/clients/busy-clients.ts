import { Agent, request } from 'node:http';

import { errorCode } from '../../../src/core/base/errors/api-error.js';

/** Clients that ask again as soon as they are answered, each on one connection for as long as that is kept. */
export interface BusyClients {
  /** Resolves when so many more answers are there. */
  answers(count: number): Promise<void>;
  /** How it ended for each, such as ECONNREFUSED, and all statuses there were. */
  ended: Promise<{ errors: string[]; statuses: Set<number | undefined> }>;
}

/** Starts them with one key query about a server's own keys. */
export function startBusyClients(
  url: string,
  { count, serverName }: { count: number; serverName: string },
): BusyClients {
  const statuses = new Set<number | undefined>();
  let onAnswer = (): void => undefined;
  const askOn = async (): Promise<string> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      for (;;) {
        statuses.add(
          await askOnce(url, { agent, body: JSON.stringify({ server_keys: { [serverName]: {} } }) }),
        );
        onAnswer();
      }
    } catch (error) {
      return errorCode(error) || String(error);
    } finally {
      agent.destroy();
    }
  };
  const all = Promise.all(Array.from({ length: count }, askOn));
  return {
    answers: (more) =>
      new Promise((resolve) => {
        let left = more;
        onAnswer = () => {
          left -= 1;
          if (left === 0) resolve();
        };
      }),
    ended: all.then((errors) => ({ errors, statuses })),
  };
}

async function askOnce(
  url: string,
  { agent, body }: { agent: Agent; body: string },
): Promise<number | undefined> {
  const asked = request(`${url}/_svc/key/v2/query`, { method: 'POST', agent });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    asked.once('error', reject);
    asked.once('response', (response) => {
      response.once('error', reject);
      response.once('end', () => resolve(response.statusCode));
      response.resume();
    });
  });
  asked.end(body);
  return answered;
}
