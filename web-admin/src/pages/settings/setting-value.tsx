import { useState } from 'react';

import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { valueWords } from '../../ui/text/value-diff.js';
import { cutMiddle } from '../../ui/text/visible-marks.js';
import styles from './settings.module.css';

/** A value of the configuration as one reads it: text as text, lists and maps as JSON. */
export function SettingValue({ value, secret, isSet }: { value: unknown; secret: boolean; isSet: boolean }) {
  if (secret) return <span className={styles.quiet}>{isSet ? 'set, not shown' : 'not set'}</span>;
  const words = valueWords(value);
  if (words === null) return <span className={styles.quiet}>not set</span>;
  return <Words words={words} />;
}

/** Longer than this, a value is folded: its middle is left out until somebody asks for it. */
const FOLDED_CHARACTERS = 400;

function Words({ words }: { words: string }) {
  const [isWhole, setWhole] = useState(false);
  if (words.length <= FOLDED_CHARACTERS)
    return (
      <code className={styles.value}>
        <UntrustedText text={words} />
      </code>
    );
  return (
    <span>
      <code className={styles.value}>
        <UntrustedText text={isWhole ? words : cutMiddle(words, FOLDED_CHARACTERS)} />
      </code>{' '}
      <button
        type="button"
        className={styles.unfold}
        aria-expanded={isWhole}
        onClick={() => setWhole(!isWhole)}
      >
        {isWhole ? 'Show less' : 'Show all of it'}
      </button>
    </span>
  );
}
