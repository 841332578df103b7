import { Icon } from '../icons.js';

import { cutMiddle, writeMarks } from './visible-marks.js';
import { UntrustedText } from './untrusted-text.js';
import styles from './text.module.css';

function isWeb(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

/** An untrusted address: a link only for http(s), opened in a new tab that learns neither referrer nor opener. */
export function SafeLink({ url, max = 80 }: { url: string; max?: number }) {
  if (!isWeb(url)) return <UntrustedText text={url} max={max} />;
  return (
    <a
      className={styles.external}
      href={url}
      target="_blank"
      rel="noopener noreferrer nofollow"
      referrerPolicy="no-referrer"
      {...(cutMiddle(url, max) === url ? {} : { 'data-tip': writeMarks(url) })}
    >
      <UntrustedText text={url} max={max} inside />
      <Icon name="externalLink" size={13} label="(opens in a new tab)" />
    </a>
  );
}
