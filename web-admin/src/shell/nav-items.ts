import type { IconName } from '../ui/icons.js';

export interface NavItem {
  href: string;
  label: string;
  icon: IconName;
  /** The lowest role that may open it; absent = everyone. */
  role?: 'OPERATOR' | 'ADMIN';
  /** Second letter of the `g …` shortcut. */
  key: string;
}

/** The menu, in order. The page of an item is also current at addresses below its own. */
export const NAV_ITEMS: readonly NavItem[] = [
  { href: '/', label: 'Overview', icon: 'layoutDashboard', key: 'o' },
  { href: '/keys', label: 'Keys', icon: 'key', key: 'k' },
  { href: '/our-keys', label: 'Our keys', icon: 'signature', key: 'u' },
  { href: '/previews', label: 'Previews', icon: 'cards', key: 'p' },
  { href: '/blocking', label: 'Blocking', icon: 'ban', key: 'b' },
  { href: '/jobs', label: 'Jobs', icon: 'clockPlay', key: 'j' },
  { href: '/access', label: 'Access', icon: 'shieldLock', role: 'OPERATOR', key: 'a' },
  { href: '/settings', label: 'Settings', icon: 'adjustmentsHorizontal', role: 'OPERATOR', key: 's' },
];

/** The one tab that needs a higher role than its page. */
const TRY = /^\/previews\?tab=try\b/;

const RANKS = { VIEWER: 0, OPERATOR: 1, ADMIN: 2 } as const;

/** True when `role` is at least `needed`. */
export function isAtLeast(role: keyof typeof RANKS, needed: keyof typeof RANKS | undefined): boolean {
  return needed === undefined || RANKS[role] >= RANKS[needed];
}

/** Whether the address `href` belongs to the menu item of `page`. */
export function isWithin(href: string, page: string): boolean {
  const [path = ''] = href.split('?', 1);
  return path === page || (page !== '/' && path.startsWith(`${page}/`));
}

/** False when the page of this address (without the base path) is kept from `role`: no link should lead there. */
export function mayOpen(role: keyof typeof RANKS, href: string): boolean {
  const needed = TRY.test(href) ? 'OPERATOR' : NAV_ITEMS.find((item) => isWithin(href, item.href))?.role;
  return isAtLeast(role, needed);
}
