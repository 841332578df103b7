import { UntrustedText } from '../text/untrusted-text.js';
import styles from './dialog.module.css';

interface WhatGoesProps {
  /** The filter in words: "host example.org", "expired"; null for ticked rows. */
  filter: readonly string[] | null;
  /** Names of the first five; undefined until they are known. */
  first: readonly string[] | undefined;
  count: number;
}

/** What a dialog is about, so that nobody changes what they did not mean: the filter, the first few, the number. */
export function WhatGoes({ filter, first, count }: WhatGoesProps) {
  const more = count - (first?.length ?? count);
  return (
    <section className={styles.subjects} aria-label="What it is about">
      {filter !== null && (
        <p>
          {filter.length === 0 ? (
            <strong>No filter is set: this is everything.</strong>
          ) : (
            <>
              All that match: <strong>{filter.join(', ')}</strong>
            </>
          )}
        </p>
      )}
      <ul>
        {first?.map((name) => (
          <li key={name}>
            <UntrustedText text={name} max={64} />
          </li>
        ))}
      </ul>
      {more > 0 && <p>and {more.toLocaleString('en')} more</p>}
    </section>
  );
}
