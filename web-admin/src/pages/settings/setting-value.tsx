import { UntrustedText } from '../../ui/text/untrusted-text.js';
import styles from './settings.module.css';

/** A value of the configuration as one reads it: text as text, lists and maps as JSON. */
export function SettingValue({ value, secret, isSet }: { value: unknown; secret: boolean; isSet: boolean }) {
  if (secret) return <span className={styles.quiet}>{isSet ? 'set, not shown' : 'not set'}</span>;
  const words = valueWords(value);
  if (words === null) return <span className={styles.quiet}>not set</span>;
  return (
    <code className={styles.value}>
      <UntrustedText text={words} max={400} />
    </code>
  );
}

/** One line for a value; null when there is none. */
export function valueWords(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value === '' ? '""' : value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return value.length === 0 ? '[]' : value.join(', ');
  return JSON.stringify(value);
}
