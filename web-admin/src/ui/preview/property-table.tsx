import { UntrustedText } from '../text/untrusted-text.js';
import type { PreviewValue } from './card-model.js';
import styles from './property-table.module.css';

const ORIGINS: Readonly<Record<string, readonly [string, string]>> = {
  page: ['page', 'As the page says it'],
  oembed: ['oEmbed', 'From the answer of an oEmbed provider'],
  made: ['added by Vidimus', 'Made here from the stored copy of the image'],
};

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The values of a preview in the order of the answer, each with where it comes from. */
export function PropertyTable({
  properties,
  caption,
}: {
  properties: readonly PreviewValue[];
  caption: string;
}) {
  return (
    <div className={styles.holder}>
      <table className={styles.table}>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Property</th>
            <th scope="col">Value</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {properties.map(({ key, value, origin }) => (
            <tr key={key}>
              <th scope="row">
                <UntrustedText text={key} mono max={60} />
              </th>
              <td data-null={value === null || undefined}>
                <UntrustedText text={wordsOf(value)} max={400} />
              </td>
              <td>
                <Origin origin={origin} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Origin({ origin }: { origin: string | null }) {
  const [word, meaning] = ORIGINS[origin ?? ''] ?? [origin ?? '—', ''];
  return (
    <span
      className={styles.origin}
      data-origin={origin}
      {...(meaning === '' ? {} : { 'data-tip': meaning, tabIndex: 0 })}
    >
      {word}
    </span>
  );
}
