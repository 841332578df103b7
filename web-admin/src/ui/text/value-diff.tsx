import { UntrustedText } from './untrusted-text.js';
import styles from './text.module.css';

/** One line for a value; null when there is none. */
export function valueWords(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value === '' ? '""' : value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return value.length === 0 ? '[]' : value.join(', ');
  return JSON.stringify(value);
}

/** A value before and after; of lists what was taken away and what was added. */
export function ValueDiff({ from, to }: { from: unknown; to: unknown }) {
  if (Array.isArray(from) && Array.isArray(to)) return <ListDiff from={itemsOf(from)} to={itemsOf(to)} />;
  return (
    <span className={styles.diff}>
      <del>{valueWords(from) ?? 'not set'}</del> → <ins>{valueWords(to) ?? 'not set'}</ins>
    </span>
  );
}

function itemsOf(list: readonly unknown[]): string[] {
  return list.map((item) => valueWords(item) ?? 'null');
}

function ListDiff({ from, to }: { from: readonly string[]; to: readonly string[] }) {
  const gone = from.filter((item) => !to.includes(item));
  const added = to.filter((item) => !from.includes(item));
  const kept = from.length - gone.length;
  return (
    <span className={styles.diff}>
      {gone.map((item) => (
        <del key={`- ${item}`}>
          − <UntrustedText text={item} max={120} />
        </del>
      ))}
      {added.map((item) => (
        <ins key={`+ ${item}`}>
          + <UntrustedText text={item} max={120} />
        </ins>
      ))}
      {gone.length + added.length === 0 ? 'in another order' : `${kept} as before`}
    </span>
  );
}
