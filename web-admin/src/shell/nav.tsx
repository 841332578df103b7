import { Link, useLocation } from 'wouter';

import { graphql } from '../gql/gql.js';
import { useQuery } from '../api/use-query.js';
import { useViewer } from '../session/viewer-context.js';
import { ToneIcon } from '../ui/state/state-badge.js';
import { isAtLeast, NAV_GROUPS } from './nav-items.js';
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

function isHere(location: string, href: string): boolean {
  return href === '/' ? location === '/' : location === href || location.startsWith(`${href}/`);
}

/** The pages in groups. A badge stands beside a page only while a check that leads to it is not fine. */
export function Nav({ onNavigate }: { onNavigate?: () => void }) {
  const [location] = useLocation();
  const { role } = useViewer();
  const health = useQuery(healthQuery, {}, { live: 'list' }).data?.overview.health ?? [];
  const badOf = (href: string) =>
    health.find(
      (check) => check.state !== 'OK' && check.href !== null && isHere(check.href.split('?')[0] ?? '', href),
    );
  return (
    <nav className={styles.nav} aria-label="Pages">
      {NAV_GROUPS.map(({ label, items }) => (
        <div key={label ?? 'first'} className={styles.group}>
          {label !== null && <p className={styles.label}>{label}</p>}
          <ul>
            {items
              .filter((item) => isAtLeast(role, item.role))
              .map(({ href, label: name, icon: Icon }) => {
                const bad = badOf(href);
                return (
                  <li key={href}>
                    <Link
                      href={href}
                      className={styles.item}
                      aria-current={isHere(location, href) ? 'page' : undefined}
                      {...(onNavigate === undefined ? {} : { onClick: onNavigate })}
                    >
                      <Icon size={17} stroke={1.6} aria-hidden="true" />
                      {name}
                      {bad !== undefined && (
                        <span className={styles.badge} data-tip={bad.title}>
                          <ToneIcon tone={bad.state === 'FAILED' ? 'bad' : 'warn'} />
                          <span className={styles.hidden}>needs attention: {bad.title}</span>
                        </span>
                      )}
                    </Link>
                  </li>
                );
              })}
          </ul>
        </div>
      ))}
    </nav>
  );
}
