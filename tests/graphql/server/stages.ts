import type { AdminClient } from '../../support/clients/admin-client.js';

/** A stage as it went over the wire: one of both. */
export interface Stage {
  began?: { name: string; title: string; startedAtMs: number };
  ended?: { name: string; status: string; durationMs: number; message: string | null };
}

/** An operation whose stages are read as they come. */
export interface WatchedOperation {
  status: number;
  contentType: string;
  /** Waits until a stage of this name has begun. */
  begun(name: string): Promise<void>;
  /** All stages, and the answer, when the operation has ended. */
  finished(): Promise<{ stages: Stage[]; answer: { data: Record<string, never>; errors?: unknown } }>;
  /** Closes the connection. */
  leave(): void;
}

/** Sends an operation and asks for its stages. */
export async function watch(
  client: AdminClient,
  query: string,
  variables: Record<string, unknown>,
): Promise<WatchedOperation> {
  const gone = new AbortController();
  const response = await fetch(client.url, {
    method: 'POST',
    headers: { ...client.headers, accept: 'text/event-stream, application/json' },
    body: JSON.stringify({ query, variables }),
    signal: gone.signal,
  });
  const results: { data?: Record<string, never>; extensions?: { stage?: Stage } }[] = [];
  const lines = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const readOn = async (): Promise<boolean> => {
    const { value, done } = await lines.read();
    text += value ?? '';
    const blocks = text.split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) {
      const [, event, data = ''] = /^event: (\w+)\ndata: ?(.*)$/s.exec(block)!;
      if (event === 'next') results.push(JSON.parse(data) as (typeof results)[number]);
    }
    return !done;
  };
  const stages = (): Stage[] => results.flatMap(({ extensions }) => extensions?.stage ?? []);
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    begun: async (name) => {
      while (!stages().some(({ began }) => began?.name === name)) {
        if (!(await readOn())) throw new Error(`ended before ${name}`);
      }
    },
    finished: async () => {
      while (await readOn());
      return { stages: stages(), answer: results.find(({ data }) => data !== undefined) as never };
    },
    leave: () => gone.abort(),
  };
}
