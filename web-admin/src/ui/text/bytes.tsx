import styles from './text.module.css';

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Bytes in binary units with three figures: "1.21 MiB". */
export function byteWords(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${UNITS[unit] ?? 'B'}`;
}

/** A size; hover and focus show the exact count. */
export function Bytes({ bytes }: { bytes: number | null | undefined }) {
  if (bytes === null || bytes === undefined) return <span className={styles.none}>—</span>;
  return (
    <span className={styles.quiet} data-tip={`${bytes.toLocaleString('en')} bytes`} tabIndex={0}>
      {byteWords(bytes)}
    </span>
  );
}
