import { NavLink, Stack, VisuallyHidden } from '@mantine/core';
import { Link, useLocation } from 'wouter';

import { useQuery } from '../api/use-query.js';
import { graphql } from '../gql/gql.js';
import { useViewer } from '../session/viewer-context.js';
import { Icon } from '../ui/icons.js';
import { needsAttention, ToneIcon } from '../ui/state.js';
import { isAtLeast, isWithin, NAV_ITEMS } from './nav-items.js';

export const healthQuery = graphql(`
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

/** The pages. A sign stands beside a page only while a check that leads to it is not fine. */
export function Nav({ onNavigate }: { onNavigate: () => void }) {
  const { role } = useViewer();
  const [location] = useLocation();
  const health = useQuery(healthQuery, {}, { live: 'list' }).data?.overview.health ?? [];
  return (
    <Stack component="nav" gap={2} aria-label="Pages">
      {NAV_ITEMS.filter((item) => isAtLeast(role, item.role)).map(({ href, label, icon }) => {
        const isCurrent = isWithin(location, href);
        const problem = health.find(
          (check) => needsAttention(check) && check.href !== null && isWithin(check.href, href),
        );
        return (
          <NavLink
            key={href}
            component={Link}
            href={href}
            label={label}
            active={isCurrent}
            aria-current={isCurrent ? 'page' : undefined}
            onClick={onNavigate}
            leftSection={<Icon name={icon} size={17} />}
            rightSection={
              problem !== undefined && (
                <>
                  <ToneIcon tone={problem.state === 'FAILED' ? 'bad' : 'warn'} />
                  <VisuallyHidden>needs attention: {problem.title}</VisuallyHidden>
                </>
              )
            }
          />
        );
      })}
    </Stack>
  );
}
