import { ToneIcon } from '../state/state-badge.js';
import { UntrustedText } from '../text/untrusted-text.js';
import styles from './dialog.module.css';

/** The part of a UserError that is shown. */
export interface UserErrorLine {
  message: string;
  code?: string;
}

/** Expected failures of a mutation, one line each. Draws nothing for an empty list. */
export function UserErrors({ errors }: { errors: readonly UserErrorLine[] }) {
  if (errors.length === 0) return null;
  return (
    <div role="alert">
      <ul className={styles.errors}>
        {errors.map((error) => (
          <li key={error.message}>
            <ToneIcon tone="bad" />
            <span>
              <UntrustedText text={error.message} /> {error.code !== undefined && <code>{error.code}</code>}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
