import styles from './chart.module.css';

interface SparklineProps {
  /** Values in time order; fewer than two draw a flat line. */
  values: readonly number[];
  /** What it shows, for screen readers: "Key queries, last day: 1,204 in all". */
  label: string;
  width?: number;
  height?: number;
}

/** A small line with a soft area; no axes, the words beside it carry the numbers. */
export function Sparkline({ values, label, width = 160, height = 36 }: SparklineProps) {
  const top = Math.max(...values, 1);
  const step = width / Math.max(values.length - 1, 1);
  const y = (value: number) => (height - 2 - (value / top) * (height - 5)).toFixed(1);
  const points = values.length < 2 ? [0, 0] : values;
  const x = (index: number) => (values.length < 2 ? index * width : index * step).toFixed(1);
  const line = points.map((value, index) => `${index === 0 ? 'M' : 'L'}${x(index)} ${y(value)}`).join('');
  return (
    <svg
      className={styles.spark}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      style={{ height }}
    >
      <path className={styles.area} d={`${line}L${width} ${height}L0 ${height}Z`} />
      <path className={styles.line} d={line} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
