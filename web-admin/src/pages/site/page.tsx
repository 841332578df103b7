import { Button, Switch } from '@mantine/core';
import { useParams } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { useCan } from '../../session/viewer-context.js';
import { hostWords, withSubdomains } from '../../ui/filter/host-filter.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { QueryView } from '../../ui/state/query-view.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { flag } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { useDeleteMedia } from '../media/delete-media.js';
import { useDeletePreviews } from '../previews/delete-previews.js';
import { Lists } from './lists.js';
import { siteQuery, type SiteData } from './site-query.js';
import { Figures, Hosts, Owners } from './space.js';
import styles from './site.module.css';

const SHAPE = { subdomains: flag() };

/** What is stored, what failed and what was refused of one host, and deleting it. */
export function Page() {
  const { host: name } = useParams<{ host: string }>();
  const [{ subdomains }, change] = useSearchParams(SHAPE);
  const isWide = subdomains !== false;
  const host = withSubdomains(name, isWide);
  const query = useQuery(siteQuery, { host }, { live: 'list' });
  return (
    <>
      <PageHeader
        title={name}
        heading={<UntrustedText text={name} max={80} />}
        description="What is stored, tried, failed and refused of this host."
        back={{ href: '/previews', label: 'Previews' }}
        actions={<Purge host={host} />}
      />
      <Switch
        className={styles.switch ?? ''}
        label="With subdomains"
        checked={isWide}
        onChange={(event) => change({ subdomains: event.currentTarget.checked ? null : false })}
      />
      <QueryView query={query}>{(data) => <Site data={data} host={host} />}</QueryView>
    </>
  );
}

function Purge({ host }: { host: string }) {
  const can = useCan();
  const selected = { filter: { host }, words: [hostWords(host)] };
  const previews = useDeletePreviews(selected, () => {});
  const media = useDeleteMedia(selected, () => {});
  return (
    <>
      {can('deleteMedia') && (
        <Button variant="outline" color="seal" onClick={media.askAll}>
          Delete media…
        </Button>
      )}
      {can('deletePreviews') && (
        <Button variant="outline" color="seal" onClick={previews.askAll}>
          Delete previews…
        </Button>
      )}
      {previews.dialog}
      {media.dialog}
    </>
  );
}

function Site({ data, host }: { data: SiteData; host: string }) {
  const asked = encodeURIComponent(host);
  return (
    <div className={styles.grid}>
      <div className={styles.column}>
        <Lists data={data} asked={asked} />
      </div>
      <div className={styles.column}>
        <Figures data={data} mediaHref={`/previews?tab=media&host=${asked}`} />
        <Hosts space={data.hostSpace} />
        <Owners owners={data.hostSpace.owners} />
      </div>
    </div>
  );
}
