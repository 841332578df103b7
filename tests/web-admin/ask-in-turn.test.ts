import { describe, expect, it } from 'vitest';

import { askInTurn } from '../../web-admin/src/api/ask-in-turn.js';
import { RequestError } from '../../web-admin/src/api/request-error.js';

const SECOND_MS = 1000;

/** Something that refuses so many times, each with that time to wait, before it tells how often it was asked. */
function busy(refusals: number, { code = 'RATE_LIMITED', retryAfterMs = 1 } = {}) {
  const asked = { times: 0 };
  const ask = async () => {
    asked.times += 1;
    if (asked.times <= refusals) throw new RequestError(code, 'Not now', { retryAfterMs });
    return asked.times;
  };
  return { ask, asked };
}

describe('a request that is one of many', () => {
  it('waits as long as the server says, however often, and is answered', async () => {
    expect(await askInTurn(busy(5).ask)).toBe(6);
  });

  it('waits a minute in all at most', async () => {
    const { ask, asked } = busy(9, { retryAfterMs: 61 * SECOND_MS });
    await expect(askInTurn(ask)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(asked.times).toBe(1);
  });

  it('waits no longer when it is called off', async () => {
    const { ask, asked } = busy(9, { retryAfterMs: 59 * SECOND_MS });
    const calledOff = new AbortController();
    const answer = askInTurn(ask, calledOff.signal);
    setImmediate(() => calledOff.abort(new Error('called off')));
    await expect(answer).rejects.toThrow('called off');
    expect(asked.times).toBe(1);
  });

  it('is not sent again after any other failure', async () => {
    const { ask, asked } = busy(9, { code: 'TIMED_OUT' });
    await expect(askInTurn(ask)).rejects.toMatchObject({ code: 'TIMED_OUT' });
    expect(asked.times).toBe(1);
  });
});
