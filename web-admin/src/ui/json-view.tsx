import { Box } from '@mantine/core';

import { CopyButton, UntrustedText } from './text/text.js';

interface JsonViewProps {
  value: unknown;
  /** What it is, for the copy button and screen readers: "published record". */
  what: string;
}

const MAX_LINES = 400;
const MAX_LINE = 400;

/** Any JSON value line by line, with the exact text to copy. Untrusted strings are shown as text only. */
export function JsonView({ value, what }: JsonViewProps) {
  const text = JSON.stringify(value, null, 2) ?? 'null';
  const lines = text.split('\n');
  return (
    <Box pos="relative" role="group" aria-label={what}>
      <Box pos="absolute" top={6} right={6} bg="var(--v-sunken)">
        <CopyButton text={text} what={what} />
      </Box>
      <Box className="v-snippet" mah={460} tabIndex={0} role="region" aria-label={what}>
        {lines.slice(0, MAX_LINES).map((line, index) => (
          <div key={index}>
            <UntrustedText text={line} max={MAX_LINE} />
          </div>
        ))}
        {lines.length > MAX_LINES && `${lines.length - MAX_LINES} more lines; copy to see all`}
      </Box>
    </Box>
  );
}
