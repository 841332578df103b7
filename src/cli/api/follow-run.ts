import { setTimeout as sleep } from 'node:timers/promises';

import { isRecord } from '../../core/base/json/is-record.js';
import { CommandError } from '../exit.js';
import { showWhile } from '../terminal/show-while.js';
import { at, mutation, textAt, valuesAt, word, type Ask } from './operation.js';

const POLL_MS = 500;
const RUN = `query ($id: ID!) { jobRun(id: $id) {
  id job { name } outcome message startedAt finishedAt progress counts { name value } } }`;
const CANCEL = mutation('cancelJobRun', '$id: ID!', 'run { id }');

/** Waits for the run that an answer names, if any; Ctrl-C ends it after a batch. Throws unless it went well. */
export async function followRun(answer: unknown, ask: Ask): Promise<unknown> {
  const id = textAt(answer, 'run.id');
  if (!isRecord(answer) || id === '') return answer;
  let run = at(answer, 'run');
  const cancel = (): void => void ask(CANCEL, { id }).catch(() => undefined);
  process.once('SIGINT', cancel);
  const progress = () => {
    const fraction = at(run, 'progress');
    return { fraction: typeof fraction === 'number' ? fraction : null, text: runLine(run) };
  };
  await showWhile(progress, async () => {
    for (;;) {
      run = await ask(RUN, { id });
      if (at(run, 'outcome') !== 'RUNNING') return;
      await sleep(POLL_MS);
    }
  });
  process.off('SIGINT', cancel);
  if (run === null) throw new CommandError('The run is not kept any more.');
  if (at(run, 'outcome') !== 'OK') throw new CommandError(runLine(run));
  return { ...answer, run };
}

/** How a run stands, in one line. */
export function runLine(run: unknown): string {
  const counts = valuesAt(run, 'counts').map((one) => `${textAt(one, 'value')} ${word('name')(one)}`);
  const done = counts.length === 0 ? '' : `: ${counts.join(', ')}`;
  return `${textAt(run, 'job.name')} ${word('outcome')(run)}${done}. ${textAt(run, 'message')}`.trimEnd();
}
