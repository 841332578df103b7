import { Link } from 'wouter';

import { useViewer } from '../../session/viewer-context.js';
import { isAtLeast } from '../../shell/nav-items.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { requestHref } from './request-href.js';
import styles from './request.module.css';

/** A request id that leads to what the request did, for those who may see that. */
export function RequestLink({ requestId }: { requestId: string }) {
  const { role } = useViewer();
  const words = <UntrustedText text={requestId} max={20} mono inside />;
  if (!isAtLeast(role, 'OPERATOR')) return words;
  return (
    <Link href={requestHref(requestId)} className={styles.link}>
      {words}
    </Link>
  );
}
