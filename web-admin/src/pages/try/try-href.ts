/**
 * The page that tries an address; `of` names the preview or refusal that it is of, for one shown in part. Opening it fetches nothing unless `RUN_REQUEST` goes along as the history's state.
 */
export function tryHref(url: string, of: string | null = null): string {
  const named = of !== null && isPartHidden(url) ? `&of=${encodeURIComponent(of)}` : '';
  return `/previews?tab=try&url=${encodeURIComponent(url)}${named}`;
}

/** Whether an address is shown without its user name and password. */
export function isPartHidden(url: string): boolean {
  return /^[^/]*\/\/…@/.test(url);
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
