import {
  IconAdjustmentsHorizontal,
  IconChecklist,
  IconClockPlay,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconLinkPlus,
  IconPhoto,
  IconShieldLock,
  IconListCheck,
  IconBan,
  IconCards,
  type TablerIcon,
} from '@tabler/icons-react';

export interface NavItem {
  href: string;
  label: string;
  icon: TablerIcon;
  /** The lowest role that may open it; absent = everyone. */
  role?: 'OPERATOR' | 'ADMIN';
  /** Second letter of the `g …` shortcut. */
  key?: string;
}

/** Groups of the navigation, in order. */
export const NAV_GROUPS: readonly { label: string | null; items: readonly NavItem[] }[] = [
  { label: null, items: [{ href: '/', label: 'Overview', icon: IconLayoutDashboard, key: 'o' }] },
  {
    label: 'Caches',
    items: [
      { href: '/keys', label: 'Keys', icon: IconKey, key: 'k' },
      { href: '/previews', label: 'Previews', icon: IconCards, key: 'p' },
      { href: '/try', label: 'Try a preview', icon: IconLinkPlus, role: 'OPERATOR', key: 't' },
      { href: '/media', label: 'Media', icon: IconPhoto, key: 'm' },
    ],
  },
  {
    label: 'Running',
    items: [
      { href: '/events', label: 'Key events', icon: IconHistory, key: 'e' },
      { href: '/log', label: 'Log', icon: IconListCheck, key: 'l' },
      { href: '/blocking', label: 'Blocking', icon: IconBan, key: 'b' },
      { href: '/jobs', label: 'Jobs', icon: IconClockPlay, key: 'j' },
    ],
  },
  {
    label: 'Control',
    items: [
      { href: '/access', label: 'Access', icon: IconShieldLock, role: 'ADMIN', key: 'a' },
      { href: '/settings', label: 'Settings', icon: IconAdjustmentsHorizontal, role: 'OPERATOR', key: 's' },
      { href: '/audit', label: 'Audit', icon: IconChecklist, role: 'OPERATOR', key: 'u' },
    ],
  },
];

const ITEMS = NAV_GROUPS.flatMap(({ items }) => items);

const RANKS = { VIEWER: 0, OPERATOR: 1, ADMIN: 2 } as const;

/** True when `role` is at least `needed`. */
export function isAtLeast(role: keyof typeof RANKS, needed: keyof typeof RANKS | undefined): boolean {
  return needed === undefined || RANKS[role] >= RANKS[needed];
}

/** False when the page of this path (without the base path) is kept from `role`: no link should lead there. */
export function mayOpen(role: keyof typeof RANKS, href: string): boolean {
  const path = href.split('?', 1)[0] ?? '';
  const item = ITEMS.find(
    (one) => one.href !== '/' && (path === one.href || path.startsWith(`${one.href}/`)),
  );
  return isAtLeast(role, item?.role);
}
