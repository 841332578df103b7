import { CopyButton } from './copy-button.js';
import styles from './text.module.css';

/** A block of code or a command line with its copy button. `what` names it: "Copy curl line". */
export function Snippet({ text, what }: { text: string; what: string }) {
  return (
    <div className={styles.snippet}>
      <pre className={styles.pre} tabIndex={0} aria-label={what}>
        {text}
      </pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}
