import type { Worker } from 'node:cluster';

import { tellWorker } from './worker-messages.js';

/** Who has not answered by then is left out: it is busy, or about to be found dead. */
const LIMIT_MS = 1000;

interface Round {
  asker: Worker;
  texts: string[];
  missing: number;
  timer: NodeJS.Timeout;
}

/** Asks all workers for their figures on behalf of one of them. */
export class FiguresRounds {
  readonly #rounds = new Map<number, Round>();
  #last = 0;

  begin(asker: Worker, asked: ReadonlySet<Worker>): void {
    this.#last += 1;
    const round = this.#last;
    const timer = setTimeout(() => this.#end(round), LIMIT_MS);
    this.#rounds.set(round, { asker, texts: [], missing: asked.size, timer });
    for (const worker of asked) tellWorker(worker, { kind: 'tell_figures', round });
  }

  add(number: number, text: string): void {
    const round = this.#rounds.get(number);
    if (round === undefined) return;
    round.texts.push(text);
    round.missing -= 1;
    if (round.missing === 0) this.#end(number);
  }

  #end(number: number): void {
    const round = this.#rounds.get(number);
    this.#rounds.delete(number);
    clearTimeout(round?.timer);
    if (round !== undefined) tellWorker(round.asker, { kind: 'all_figures', texts: round.texts });
  }
}
