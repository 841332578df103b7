import type { AppContext } from '../composition/context.js';
import { withinOpenFiles } from '../composition/start/open-files.js';
import { ClientBounds } from '../rest/bounds/client-bounds.js';

/** What clients may use up, as the configuration says and the system admits. */
export function createBounds({ config, parts }: AppContext): ClientBounds {
  const { server, keys, log } = config;
  const maxConnections = withinOpenFiles('connections', server.max_connections);
  if (maxConnections < server.max_connections)
    parts.logger.warn(
      { connections: maxConnections },
      'the limit of open files leaves less than server.max_connections',
    );
  return new ClientBounds({
    clock: parts.clock,
    metrics: parts.metrics,
    reached: parts.clientBounds,
    maxConnections,
    maxConnectionsPerClient: server.max_connections_per_client,
    stallMs: server.stall_timeout,
    minReadRate: server.min_read_rate,
    maxBodyBytes: server.max_body_memory,
    maxBodyBytesPerClient: server.max_body_memory_per_client,
    maxUnsentBytes: server.max_unsent_size,
    maxUnsentBytesPerClient: server.max_unsent_size_per_client,
    maxWaitingAnswers: server.max_waiting_answers,
    maxWaitingAnswersPerClient: server.max_waiting_answers_per_client,
    largeAnswerTurnMs: server.large_answer_turn,
    maxRequestLines: log.max_request_lines,
    onLinesLeftOut: (more) =>
      parts.logger.warn({ more }, 'more requests left no line: log.max_request_lines'),
    maxLogReads: log.max_reads,
    maxWaitingLogReads: log.max_waiting_reads,
    maxAnswerBytes: keys.max_answer_size,
  });
}
