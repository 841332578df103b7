import { CopyButton } from '../text/copy-button.js';
import { traceMarkdown, type MarkdownReport } from './trace-markdown.js';
import styles from './trace-list.module.css';

interface CopyTraceProps {
  report: MarkdownReport;
  /** What it is, as JSON. */
  whole: unknown;
}

/** Copies the trace as Markdown or as JSON. */
export function CopyTrace({ report, whole }: CopyTraceProps) {
  return (
    <div className={styles.share}>
      <span className={styles.copies}>
        Copy as Markdown <CopyButton text={traceMarkdown(report)} what="the trace as Markdown" />
      </span>
      <span className={styles.copies}>
        JSON <CopyButton text={JSON.stringify(whole, null, 2)} what="the whole result as JSON" />
      </span>
    </div>
  );
}
