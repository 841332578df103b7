/** The one-time code of a link that signs in, `…/sign-in#code=…`; empty without one. No server gets to see it. */
export function codeOfLink(): string {
  return new URLSearchParams(window.location.hash.slice(1)).get('code') ?? '';
}

/** Takes the code out of the address, which people copy and browsers remember. */
export function forgetLink(): void {
  const { pathname, search } = window.location;
  window.history.replaceState(window.history.state, '', pathname + search);
}
