import { expect, it } from 'vitest';
import { z } from 'zod';

import type { InstanceMessages, Receiver } from '../../../../src/core/store/instances/instance-messages.js';
import { InstanceQuestions } from '../../../../src/core/store/instances/instance-questions.js';

const SENT = z.object({ id: z.string(), question: z.unknown() });
const NUMBER = { about: 'numbers', schema: z.number() };

/** Messages that another instance gets when it looks. */
function letterBox() {
  const receivers = new Map<string, (payload: unknown) => void | Promise<void>>();
  const sent: { topic: string; payload: object }[] = [];
  const messages: InstanceMessages = {
    send: async (topic, payload) => void sent.push({ topic, payload }),
    on: <Payload>(topic: string, receiver: Receiver<Payload>) =>
      void receivers.set(topic, (payload) => receiver.receive(receiver.schema.parse(payload))),
  };
  const answerAll = async (): Promise<void> => {
    for (const { payload } of sent.splice(0)) {
      const { id } = SENT.parse(payload);
      await receivers.get('answer')?.({ id, from: 'b', answer: 7 });
    }
  };
  return { messages, sent, answerAll };
}

it('asks what is asked already no second time, and no more than 16 questions at once', async () => {
  const { messages, sent, answerAll } = letterBox();
  const questions = new InstanceQuestions({ messages, instance: 'a', findOthers: async () => ['b'] });
  const numbers = Array.from({ length: 20 }, (_, at) => at);
  const asked = [...numbers, ...numbers.slice(0, 16)].map((at) => questions.ask(NUMBER, { at }));
  await expect.poll(() => sent.length).toBe(16);
  await answerAll();

  const found = await Promise.all(asked);
  expect(found.filter(({ answers }) => answers.get('b') === 7)).toHaveLength(32);
  expect(found.filter(({ silent }) => silent.includes('b'))).toHaveLength(4);

  const again = questions.ask(NUMBER, { at: 0 });
  await expect.poll(() => sent.length).toBe(1);
  await answerAll();
  expect((await again).answers.get('b')).toBe(7);
});
