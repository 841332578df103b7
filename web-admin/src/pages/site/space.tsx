import { Link, useLocation } from 'wouter';

import { Fields } from '../../ui/page/fields.js';
import { Panel } from '../../ui/page/panel.js';
import { byteWords } from '../../ui/text/bytes.js';
import { counted } from '../../ui/text/counted.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { SpaceByHost } from '../media/space/space-by-host.js';
import { countWords } from './count-words.js';
import { siteHref } from './site-href.js';
import type { SiteData } from './site-query.js';
import styles from './site.module.css';

/** What there is of the host in figures. */
export function Figures({ data, mediaHref }: { data: SiteData; mediaHref: string }) {
  const { previews, hostSpace, memoryPreviews, blockHits } = data;
  const { items, bytes, thumbnailBytes, exact } = hostSpace;
  return (
    <Panel title="In figures" actions={items > 0 && <Link href={mediaHref}>All media</Link>}>
      <Fields
        items={[
          ['Previews', countWords(previews.totalCount)],
          ['Media', countWords({ count: items, exact })],
          [
            'On disk',
            `${exact ? '' : 'more than '}${byteWords(bytes)}, thumbnails ${byteWords(thumbnailBytes)}`,
          ],
          ['Refusals', countWords(blockHits.totalCount)],
          ['Failures in memory', countWords(memoryPreviews.totalCount)],
        ]}
      />
      {!exact && <p className={styles.note}>Sizes, hosts and owners are those of the latest 5,000 media.</p>}
    </Panel>
  );
}

/** Which hosts take the space, each with a page of its own. */
export function Hosts({ space: { hosts, bytes } }: { space: SiteData['hostSpace'] }) {
  const [, navigate] = useLocation();
  if (hosts.length < 2) return null;
  return (
    <Panel title="Hosts">
      <SpaceByHost shares={hosts} total={bytes} onHost={(host) => navigate(siteHref(host))} />
    </Panel>
  );
}

/** Who asked for it; for those who may see that. */
export function Owners({ owners }: { owners: SiteData['hostSpace']['owners'] }) {
  if (owners === null || owners.length === 0) return null;
  return (
    <Panel title="Owners" note="who asked for the previews" flush>
      <ul className={styles.list}>
        {owners.map(({ name, items, bytes }) => (
          <li key={name} className={styles.head}>
            <span className={styles.subject}>
              <UntrustedText text={name} max={60} />
            </span>
            <span className={styles.note}>
              {counted(items, 'media item')}, {byteWords(bytes)}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
