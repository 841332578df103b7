import type { Deadline } from '../../../base/deadline.js';
import { ApiError } from '../../../base/errors/api-error.js';
import type { AgentPair } from '../../../net/http/connecting-agents.js';
import { fetchTrusted, type TrustedResponse } from '../../../net/http/trusted-client.js';

/** Agents that judge addresses, and agents for addresses inside our network. */
export interface OutboxAgents {
  guarded: AgentPair;
  private: AgentPair;
}

export interface PostOptions {
  agents: AgentPair;
  userAgent: string;
  headers?: Readonly<Record<string, string>>;
  /** An answer is read no further. */
  maxAnswerBytes: number;
  deadline: Deadline;
}

/** Posts JSON to an address that an operator named. Redirects are not followed. */
export function postJson(
  url: URL,
  body: Buffer,
  { agents, userAgent, headers, maxAnswerBytes: maxBodyBytes, deadline }: PostOptions,
): Promise<TrustedResponse> {
  const own = {
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    'User-Agent': userAgent,
  };
  return fetchTrusted({ url, headers: { ...own, ...headers }, maxBodyBytes, deadline, body, agents });
}

/** Why a request got no answer, in one sentence; never the address, which may hold a secret of its own. */
export function sentenceOf(error: unknown, deadline: Deadline): string {
  if (deadline.signal.aborted) return 'No answer in time.';
  if (error instanceof ApiError) return `${error.reason ?? 'failed'}: ${error.detail ?? error.message}`;
  return error instanceof Error ? error.message : String(error);
}
