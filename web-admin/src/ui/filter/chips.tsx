import styles from './filter.module.css';

/** A set of chips of which at most one is on. */
export interface ChipGroup {
  /** Names the set for screen readers. */
  label: string;
  value: string | null;
  options: readonly { value: string; label: string; count?: number }[];
  onChange: (value: string | null) => void;
}

/** Chips; pressing the one that is on switches it off. */
export function Chips({ group }: { group: ChipGroup }) {
  return (
    <div className={styles.chips} role="group" aria-label={group.label}>
      {group.options.map(({ value, label, count }) => {
        const isOn = group.value === value;
        return (
          <button
            key={value}
            type="button"
            className={styles.chip}
            aria-pressed={isOn}
            onClick={() => group.onChange(isOn ? null : value)}
          >
            {label}
            {count !== undefined && <span className={styles.count}>{count.toLocaleString('en')}</span>}
          </button>
        );
      })}
    </div>
  );
}
