import { ProgressLine, type Progress } from './progress.js';

const REDRAW_MS = 200;

/** Draws on a terminal how far some work is, until it has ended. */
export async function showWhile<T>(progress: () => Progress, work: () => Promise<T>): Promise<T> {
  const line = new ProgressLine(process.stderr);
  line.show(progress());
  const timer = setInterval(() => line.show(progress()), REDRAW_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    line.clear();
  }
}
