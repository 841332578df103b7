/** What the server wrote into the page: the path the UI lives under, without a slash at its end ("" = root). */
export function readBasePath(): string {
  const text = document.querySelector('meta[name="vidimus-base-path"]')?.getAttribute('content') ?? '';
  return text.replace(/\/+$/, '');
}

/** The nonce style tags need under the page's Content-Security-Policy; "" when the page has none. */
export function readStyleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}
