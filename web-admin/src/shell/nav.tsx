import { Link, useLocation } from 'wouter';

import { graphql } from '../gql/gql.js';
import type { NavHealthQuery } from '../gql/graphql.js';
import { useQuery } from '../api/use-query.js';
import { useViewer } from '../session/viewer-context.js';
import { ToneIcon } from '../ui/state/state-badge.js';
import { needsAttention } from '../ui/state/needs-attention.js';
import { isAtLeast, NAV_GROUPS, type NavItem } from './nav-items.js';
import styles from './nav.module.css';

const healthQuery = graphql(`
  query NavHealth {
    overview {
      health {
        id
        title
        state
        href
      }
    }
  }
`);

type HealthCheck = NavHealthQuery['overview']['health'][number];

function isHere(location: string, href: string): boolean {
  return href === '/' ? location === '/' : location === href || location.startsWith(`${href}/`);
}

/** The pages in groups. A badge stands beside a page only while a check that leads to it is not fine. */
export function Nav({ onNavigate }: { onNavigate?: () => void }) {
  const { role } = useViewer();
  const health = useQuery(healthQuery, {}, { live: 'list' }).data?.overview.health ?? [];
  const problemOf = (page: string) =>
    health.find(
      (check) => needsAttention(check) && check.href !== null && isHere(check.href.split('?')[0] ?? '', page),
    );
  return (
    <nav className={styles.nav} aria-label="Pages">
      {NAV_GROUPS.map(({ label, items }) => (
        <div key={label ?? 'first'} className={styles.group}>
          {label !== null && <p className={styles.label}>{label}</p>}
          <ul>
            {items
              .filter((item) => isAtLeast(role, item.role))
              .map((item) => (
                <li key={item.href}>
                  <NavLink item={item} problem={problemOf(item.href)} onNavigate={onNavigate} />
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

interface NavLinkProps {
  item: NavItem;
  /** The first check that leads to this page and is not fine. */
  problem: HealthCheck | undefined;
  onNavigate: (() => void) | undefined;
}

function NavLink({ item: { href, label, icon: Icon }, problem, onNavigate }: NavLinkProps) {
  const [location] = useLocation();
  return (
    <Link
      href={href}
      className={styles.item}
      aria-current={isHere(location, href) ? 'page' : undefined}
      {...(onNavigate === undefined ? {} : { onClick: onNavigate })}
    >
      <Icon size={17} stroke={1.6} aria-hidden="true" />
      {label}
      {problem !== undefined && (
        <span className={styles.badge} data-tip={problem.title}>
          <ToneIcon tone={problem.state === 'FAILED' ? 'bad' : 'warn'} />
          <span className={styles.hidden}>needs attention: {problem.title}</span>
        </span>
      )}
    </Link>
  );
}
