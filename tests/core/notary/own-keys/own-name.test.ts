import { expect, it } from 'vitest';

import { createLogger } from '../../../../src/core/base/logger.js';
import { NOT_SHARED, OwnName, type SharedNameAnswer } from '../../../../src/core/notary/own-keys/own-name.js';

const UNTOLD: SharedNameAnswer = { ...NOT_SHARED, silence: 'nobody answers', mayTell: true };

it('a store that is away while it is asked whose the name is does not end the asking', async () => {
  let asked = 0;
  const ask = async (): Promise<SharedNameAnswer> => {
    asked += 1;
    if (asked === 1) throw new Error('the store is away');
    return NOT_SHARED;
  };
  const logger = createLogger({ level: 'silent' });
  const name = new OwnName({ told: UNTOLD, ask, judgedClock: { error: null }, logger });

  await new Promise<void>((resolve) => name.start(async () => resolve()));

  expect(asked).toBe(2);
  name.close();
});
