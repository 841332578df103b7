import type { CookieJar } from 'tough-cookie';

const MAX_COOKIES = 50;
const MAX_COOKIE_BYTES = 4096;
const MAX_HEADER_BYTES = 8192;

/**
 * Cookies of one fetch: what a redirect sets goes to its later hops where RFC 6265 allows it, and is then forgotten.
 * Nothing is loaded before the first cookie comes.
 */
export class FetchCookies {
  #jar: CookieJar | null = null;
  #count = 0;

  /** Takes the `Set-Cookie` lines of an answer; bad ones, and those beyond 50, are ignored. */
  async accept(lines: readonly string[], url: string): Promise<void> {
    const usable = lines
      .filter((line) => line.length <= MAX_COOKIE_BYTES)
      .slice(0, MAX_COOKIES - this.#count);
    if (usable.length === 0) return;
    this.#count += usable.length;
    this.#jar ??= await createJar();
    for (const line of usable) await this.#jar.setCookie(line, url, { ignoreError: true });
  }

  /** Value of the `Cookie` header for an address; null when none is to be sent. */
  async header(url: string): Promise<string | null> {
    const value = (await this.#jar?.getCookieString(url)) ?? '';
    return value === '' || value.length > MAX_HEADER_BYTES ? null : value;
  }
}

async function createJar(): Promise<CookieJar> {
  const { CookieJar: Jar } = await import('tough-cookie');
  return new Jar();
}
