import { useQuery } from '../../api/use-query.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { QueryView } from '../../ui/state/query-view.js';
import { StateBadge } from '../../ui/state/state-badge.js';
import { flag, text } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { CheckForm } from './check-form.js';
import { CheckResult } from './check-result.js';
import { checkQuery } from './blocking-query.js';
import styles from './blocking.module.css';

const SHAPE = { url: text(), resolve: flag() };

/** What the rules say of one address; nothing is fetched from it. */
export function CheckTab() {
  const [{ url, resolve }, change] = useSearchParams(SHAPE);
  const isResolved = resolve === true;
  return (
    <div className={styles.tab}>
      <Panel>
        <CheckForm
          key={url}
          url={url}
          isResolved={isResolved}
          onCheck={(typed) => change({ url: typed }, { push: true })}
          onResolve={(on) => change({ resolve: on ? true : null })}
        />
      </Panel>
      <div className={styles.stack}>
        {url === '' ? (
          <EmptyState title="Would it be refused?">
            Type an address: you see its parts exactly as the rules see them, and every rule that matches.
            Nothing is fetched from it.
          </EmptyState>
        ) : (
          <Check url={url} isResolved={isResolved} />
        )}
      </div>
    </div>
  );
}

function Check({ url, isResolved }: { url: string; isResolved: boolean }) {
  const query = useQuery(checkQuery, { url, resolve: isResolved }, { keepPrevious: false });
  return (
    <QueryView query={query}>
      {({ checkUrl }) => (
        <>
          <p className={styles.verdict} role="status">
            <StateBadge tone={checkUrl.blocked ? 'bad' : 'ok'}>
              {checkUrl.blocked ? 'refused' : 'allowed'}
            </StateBadge>
            {checkUrl.message}
          </p>
          <CheckResult check={checkUrl} isResolved={isResolved} />
        </>
      )}
    </QueryView>
  );
}
