const SEAL =
  'M19.47 3.06A3.75 3.75 0 0 1 25.48 6.52A3.75 3.75 0 0 1 28.94 12.53A3.75 3.75 0 0 1 28.94 19.47A3.75 3.75 0 0 1 25.48 25.48A3.75 3.75 0 0 1 19.47 28.94A3.75 3.75 0 0 1 12.53 28.94A3.75 3.75 0 0 1 6.52 25.48A3.75 3.75 0 0 1 3.06 19.47A3.75 3.75 0 0 1 3.06 12.53A3.75 3.75 0 0 1 6.52 6.52A3.75 3.75 0 0 1 12.53 3.06A3.75 3.75 0 0 1 19.47 3.06Z';
const EYE = 'M5.6 16Q16 5.4 26.4 16Q16 26.6 5.6 16ZM16 20.4A4.4 4.4 0 1 0 16 11.6A4.4 4.4 0 0 0 16 20.4Z';

/** The seal with an eye: "we have seen". Two colours from the theme; `size` in CSS pixels. Decorative. */
export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path fill="var(--v-accent)" d={SEAL} />
      <path fill="var(--v-bg)" fillRule="evenodd" d={EYE} />
    </svg>
  );
}
