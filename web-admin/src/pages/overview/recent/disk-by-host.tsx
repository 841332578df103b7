import { Link, useLocation } from 'wouter';

import { useQuery } from '../../../api/use-query.js';
import { Panel } from '../../../ui/page/panel.js';
import { mediaSpaceQuery } from '../../media/media-query.js';
import { SpaceByHost } from '../../media/space/space-by-host.js';
import { siteHref } from '../../site/site-href.js';

/** Which hosts take the disk, as on the page of media; each leads to its own page. Nothing without media. */
export function DiskByHost() {
  const query = useQuery(mediaSpaceQuery, {}, { live: 'view' });
  const [, navigate] = useLocation();
  const space = query.data?.mediaSpace;
  if (space === undefined || space.byHost.length === 0) return null;
  const { byHost, diskBytes } = space;
  return (
    <Panel title="Disk" actions={<Link href="/previews?tab=media">All media</Link>}>
      <SpaceByHost shares={byHost} total={diskBytes} onHost={(host) => navigate(siteHref(host))} />
    </Panel>
  );
}
