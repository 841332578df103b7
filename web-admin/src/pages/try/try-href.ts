/**
 * The page that tries an address. Opening it fetches nothing unless `RUN_REQUEST` goes along as the history's state.
 */
export function tryHref(url: string): string {
  return `/try?url=${encodeURIComponent(url)}`;
}

/** For `navigate(tryHref(url), { state: RUN_REQUEST })`: the person has pressed a button that says "Try". */
export const RUN_REQUEST = { tries: true };

/** Whether this step of the history asks to run at once; a second look, or a reload, says no. */
export function takeRunRequest(): boolean {
  const state: { tries?: unknown } | null = window.history.state;
  if (state?.tries !== true) return false;
  window.history.replaceState(null, '');
  return true;
}
