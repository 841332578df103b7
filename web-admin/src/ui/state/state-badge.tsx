import styles from './state-badge.module.css';

/** What a state means to the operator; decides colour and shape. */
export type Tone = 'ok' | 'warn' | 'bad' | 'idle' | 'busy';

const SHAPES: Record<Tone, string> = {
  ok: 'M2.2 6.4 4.9 9 9.9 3.4',
  warn: 'M6 1.6 11 10.4H1Z',
  bad: 'M2.6 2.6 9.4 9.4M9.4 2.6 2.6 9.4',
  idle: 'M2.5 6H9.5',
  busy: 'M6 2A4 4 0 1 1 2 6',
};

/** The shape alone, for places where the word stands beside it. */
export function ToneIcon({ tone, size = 12 }: { tone: Tone; size?: number }) {
  return (
    <svg
      className={styles.icon}
      data-tone={tone}
      width={size}
      height={size}
      viewBox="0 0 12 12"
      aria-hidden="true"
    >
      <path d={SHAPES[tone]} />
    </svg>
  );
}

/** A state as word, shape and colour: never colour alone. */
export function StateBadge({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={styles.badge} data-tone={tone}>
      <ToneIcon tone={tone} size={10} />
      {children}
    </span>
  );
}
