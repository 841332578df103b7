/**
 * Calls `reload` at each signal HUP until the returned function is called. At a terminal HUP keeps its meaning:
 * the terminal has been closed, and the process ends.
 */
export function onReloadSignal(reload: () => void): () => void {
  if (process.stdin.isTTY) return () => undefined;
  process.on('SIGHUP', reload);
  return () => void process.off('SIGHUP', reload);
}
