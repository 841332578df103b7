import { Link, useLocation } from 'wouter';

import { graphql } from '../gql/gql.js';
import type { NavHealthQuery } from '../gql/graphql.js';
import { useQuery } from '../api/use-query.js';
import { useViewer } from '../session/viewer-context.js';
import { Icon } from '../ui/icons.js';
import { ToneIcon } from '../ui/state/state-badge.js';
import { needsAttention } from '../ui/state/needs-attention.js';
import { isAtLeast, isWithin, NAV_ITEMS, type NavItem } from './nav-items.js';
import styles from './nav.module.css';

const healthQuery = graphql(`
  query NavHealth {
    overview {
      health {
        key
        title
        state
        href
      }
    }
  }
`);

type HealthCheck = NavHealthQuery['overview']['health'][number];

/** The pages. A badge stands beside a page only while a check that leads to it is not fine. */
export function Nav({ onNavigate }: { onNavigate?: () => void }) {
  const { role } = useViewer();
  const health = useQuery(healthQuery, {}, { live: 'list' }).data?.overview.health ?? [];
  const problemOf = (page: string) =>
    health.find((check) => needsAttention(check) && check.href !== null && isWithin(check.href, page));
  return (
    <nav className={styles.nav} aria-label="Pages">
      <ul>
        {NAV_ITEMS.filter((item) => isAtLeast(role, item.role)).map((item) => (
          <li key={item.href}>
            <NavLink item={item} problem={problemOf(item.href)} onNavigate={onNavigate} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface NavLinkProps {
  item: NavItem;
  /** The first check that leads to this page and is not fine. */
  problem: HealthCheck | undefined;
  onNavigate: (() => void) | undefined;
}

function NavLink({ item: { href, label, icon }, problem, onNavigate }: NavLinkProps) {
  const [location] = useLocation();
  return (
    <Link
      href={href}
      className={styles.item}
      aria-current={isWithin(location, href) ? 'page' : undefined}
      {...(onNavigate === undefined ? {} : { onClick: onNavigate })}
    >
      <Icon name={icon} size={17} />
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
