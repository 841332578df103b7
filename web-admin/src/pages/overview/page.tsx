import { useQuery } from '../../api/use-query.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { QueryView } from '../../ui/state/query-view.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { Activity } from './activity/activity.js';
import { FirstRun } from './first-run/first-run.js';
import { HealthPanel } from './health/health-panel.js';
import { DiskByHost } from './recent/disk-by-host.js';
import { LastHits } from './recent/last-hits.js';
import { isUnused, NoTraffic } from './no-traffic.js';
import { overviewQuery, type OverviewData } from './overview-query.js';
import { Ratios } from './ratios.js';
import { Instances, RecentFailures } from './recent/recent.js';
import { Totals } from './totals/totals.js';
import styles from './overview.module.css';

/** What is wrong, what there is, what goes on. */
export function Page() {
  const query = useQuery(overviewQuery, {}, { live: 'view' });
  const overview = query.data?.overview;
  return (
    <>
      <PageHeader
        title="Overview"
        description={
          overview === undefined ? (
            'Reading …'
          ) : (
            <>
              Version {overview.version}
              {overview.commit !== null && ` (${overview.commit.slice(0, 7)})`}, started{' '}
              <RelativeTime at={overview.startedAt} />
            </>
          )
        }
      />
      <QueryView query={query}>{(data) => <Body overview={data.overview} />}</QueryView>
    </>
  );
}

/** One of the two jobs has never been done. */
function isYoung({ keys, previews }: OverviewData): boolean {
  return keys.servers === 0 || previews.stored === 0;
}

function Body({ overview }: { overview: OverviewData }) {
  return (
    <div className={styles.grid}>
      <HealthPanel checks={overview.health} />
      <div className={styles.side}>
        <Ratios overview={overview} />
        <RecentFailures failures={overview.recentFailures} />
        <LastHits />
        <Instances overview={overview} />
      </div>
      {isYoung(overview) && (
        <div className={styles.wide}>
          <FirstRun />
        </div>
      )}
      <div className={styles.wide}>
        <Totals overview={overview} />
      </div>
      <div className={styles.wide}>
        <DiskByHost />
      </div>
      <div className={styles.wide}>{isUnused(overview) ? <NoTraffic /> : <Activity />}</div>
    </div>
  );
}
