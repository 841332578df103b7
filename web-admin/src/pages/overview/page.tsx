import { Button, SimpleGrid, Stack } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { useCan } from '../../session/viewer-context.js';
import { PageHeader } from '../../ui/page.js';
import { QueryView } from '../../ui/state.js';
import { RelativeTime } from '../../ui/text/text.js';
import { Activity } from './activity.js';
import { Health } from './health.js';
import { overviewQuery, type OverviewData } from './overview-query.js';
import { RecentFailures } from './recent-failures.js';
import { Totals } from './totals.js';

const FirstSteps = lazy(async () => ({ default: (await import('./first-steps.js')).FirstSteps }));

/** Whether it works, what is wrong, how much there is and what goes on: one screen. */
export function Page() {
  const query = useQuery(overviewQuery, { fresh: false }, { live: 'overview' });
  const overview = query.data?.overview;
  const can = useCan();
  return (
    <>
      <PageHeader
        title="Overview"
        description={
          overview === undefined ? (
            'Loading …'
          ) : (
            <>
              Version {overview.version}, started <RelativeTime at={overview.startedAt} />
            </>
          )
        }
        actions={
          can('tryPreview') && (
            <Button component={Link} href="/previews?tab=try">
              Try a preview
            </Button>
          )
        }
      />
      <QueryView query={query}>{(data) => <Body overview={data.overview} />}</QueryView>
    </>
  );
}

/** One of the two jobs has never been done. */
function isYoung({ totals }: OverviewData): boolean {
  return totals.servers === 0 || totals.previews === 0;
}

function Body({ overview }: { overview: OverviewData }) {
  return (
    <Stack gap="md">
      <Health checks={overview.health} />
      <Suspense>{isYoung(overview) && <FirstSteps />}</Suspense>
      <Totals overview={overview} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Activity />
        <RecentFailures failures={overview.recentFailures} />
      </SimpleGrid>
    </Stack>
  );
}
