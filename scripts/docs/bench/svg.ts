/** Width and height of a chart, in units of the drawing; its texts are read at about this size. */
export const CHART = { width: 344, height: 240 } as const;

/** Colours that are told apart in light and dark, and without colour by their marks. */
const STYLE = `
text{font:12px system-ui,sans-serif;fill:#3b4252}
.title{font-size:14px;font-weight:600;fill:#1b2130}
.grid{stroke:#d9dde5;stroke-width:1}
.axis{stroke:#6b7385;stroke-width:1}
.a{stroke:#1d5fd0}.b{stroke:#b4490c}
.fill-a{fill:#1d5fd0}.fill-b{fill:#b4490c}
.line{fill:none;stroke-width:2}
@media (prefers-color-scheme:dark){
text{fill:#c3cad9}.title{fill:#eef1f7}
.grid{stroke:#333b4b}.axis{stroke:#8b94a8}
.a{stroke:#7fb0ff}.b{stroke:#f2a267}
.fill-a{fill:#7fb0ff}.fill-b{fill:#f2a267}
}`;

/** A drawing that says what it shows to those who do not see it. */
export function drawing({ title, description, height }: { title: string; description: string; height: number }, body: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${CHART.width} ${height}" width="${CHART.width}" height="${height}" role="img" aria-labelledby="title description">
<title id="title">${escaped(title)}</title>
<desc id="description">${escaped(description)}</desc>
<style>${STYLE}
</style>
<text class="title" x="8" y="20">${escaped(title)}</text>
${body}
</svg>
`;
}

/** Where a text stands, and how wide it is drawn; absent: as wide as it is. */
interface Label {
  x: number;
  y: number;
  anchor?: 'start' | 'middle' | 'end';
  className?: string;
  width?: number | undefined;
}

/** A text in a drawing. */
export function label(text: string, { x, y, anchor = 'start', className, width }: Label): string {
  const named = className === undefined ? '' : ` class="${className}"`;
  const fitted = width === undefined ? '' : ` textLength="${width}" lengthAdjust="spacingAndGlyphs"`;
  return `<text x="${place(x)}" y="${place(y)}" text-anchor="${anchor}"${named}${fitted}>${escaped(text)}</text>`;
}

/** A coordinate: tenths are enough. */
export function place(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Round numbers from 0 to the first that is not below `most`. */
export function ticksTo(most: number): number[] {
  const least = most / 4;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= least) ?? least;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, at) => Number((at * step).toPrecision(6)));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
