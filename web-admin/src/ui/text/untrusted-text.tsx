import { cutMiddle, splitAtMarks, writeMarks } from './visible-marks.js';
import styles from './text.module.css';

interface UntrustedTextProps {
  /** Untrusted text; null draws an em dash. */
  text: string | null | undefined;
  /** Longest form in characters; above it the middle is cut and hover or focus shows all. Default: no cut. */
  max?: number;
  mono?: boolean;
  /** Inside a link or button: no focus stop of its own (give the parent `data-tip`). */
  inside?: boolean;
}

/** Untrusted text as text only: isolated direction, bidi and invisible characters shown as marks. */
export function UntrustedText({ text, max, mono = false, inside = false }: UntrustedTextProps) {
  if (text === null || text === undefined || text === '') return <span className={styles.none}>—</span>;
  const short = max === undefined ? text : cutMiddle(text, max);
  const isCut = short !== text;
  const parts = splitAtMarks(short).map((part, index) =>
    part.kind === 'text' ? (
      part.text
    ) : (
      <span key={index} className={styles.mark} title={part.name}>
        {part.code}
      </span>
    ),
  );
  return (
    <bdi
      className={mono ? styles.mono : styles.text}
      {...(isCut && !inside ? { 'data-tip': writeMarks(text), tabIndex: 0 } : {})}
    >
      {parts}
    </bdi>
  );
}
