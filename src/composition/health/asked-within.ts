import { SECOND_MS } from '../../core/base/clock.js';
import { Deadline } from '../../core/base/deadline.js';
import { toOutboundError } from '../../core/base/errors/outbound-error.js';
import {
  fetchTrusted,
  type TrustedRequest,
  type TrustedResponse,
} from '../../core/net/http/trusted-client.js';

const MAX_ANSWER_BYTES = 256 * 1024;
const ASK_TIMEOUT_MS = 10 * SECOND_MS;

/** Asks an address of the configuration, which may be silent. */
export async function askedWithin(
  request: Omit<TrustedRequest, 'maxBodyBytes' | 'deadline'>,
  signal: AbortSignal,
): Promise<TrustedResponse> {
  const deadline = new Deadline(ASK_TIMEOUT_MS, signal);
  try {
    return await fetchTrusted({ ...request, maxBodyBytes: MAX_ANSWER_BYTES, deadline });
  } catch (error) {
    if (deadline.signal.aborted) throw deadline.error('timeout_headers', request.url.host);
    throw toOutboundError(error, 'host_unreachable');
  } finally {
    deadline.close();
  }
}
