/** Where to go after sign-in: a path inside this UI from `?next=`, else the overview. Never another origin. */
export function nextOf(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '/';
  const isInner = /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in');
  return isInner ? next : '/';
}
