import { CopyButton } from '../text/copy-button.js';
import { JsonNode } from './json-node.js';
import styles from './json-view.module.css';

interface JsonViewProps {
  value: unknown;
  /** What it is, for the copy button and screen readers: "published record". */
  what: string;
  /** Nodes deeper than this start folded; default 3. */
  openTo?: number;
}

/** Any JSON value as a tree that folds, with the exact text to copy. Untrusted strings are shown as text only. */
export function JsonView({ value, what, openTo = 3 }: JsonViewProps) {
  return (
    <div className={styles.view} role="group" aria-label={what}>
      <div className={styles.copy}>
        <CopyButton text={JSON.stringify(value, null, 2)} what={what} />
      </div>
      <div className={styles.scroll} tabIndex={0} role="region" aria-label={what}>
        <JsonNode value={value} depth={0} openTo={openTo} />
      </div>
    </div>
  );
}
