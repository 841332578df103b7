import { Box, UnstyledButton } from '@mantine/core';
import { useState, type ReactNode } from 'react';

import { CopyButton, UntrustedText } from './text/text.js';

interface JsonViewProps {
  value: unknown;
  /** What it is, for the copy button and screen readers: "published record". */
  what: string;
  /** Nodes deeper than this start folded; default 3. */
  openTo?: number;
}

/** Any JSON value as a tree that folds, with the exact text to copy. Untrusted strings are shown as text only. */
export function JsonView({ value, what, openTo = 3 }: JsonViewProps) {
  return (
    <Box pos="relative" role="group" aria-label={what}>
      <Box pos="absolute" top={6} right={6} bg="var(--v-sunken)">
        <CopyButton text={JSON.stringify(value, null, 2)} what={what} />
      </Box>
      <Box className="v-snippet" mah={460} tabIndex={0} role="region" aria-label={what}>
        <JsonNode value={value} depth={0} openTo={openTo} />
      </Box>
    </Box>
  );
}

interface JsonNodeProps {
  name?: string;
  value: unknown;
  depth: number;
  openTo: number;
}

const MAX_CHILDREN = 200;
const MAX_STRING = 400;

/** One value of the tree; objects and lists are buttons that fold. */
function JsonNode({ name, value, depth, openTo }: JsonNodeProps) {
  const [isOpen, setOpen] = useState(depth < openTo);
  const label = name !== undefined && (
    <>
      <UntrustedText text={name === '' ? '""' : name} max={80} />:{' '}
    </>
  );
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return (
      <div>
        {label}
        <Scalar value={value} />
      </div>
    );
  const [before, after] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return (
    <div>
      <UnstyledButton fz="inherit" mih={24} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? '▾' : '▸'} {label}
        {isOpen ? before : `${before} ${Object.keys(value).length} … ${after}`}
      </UnstyledButton>
      {isOpen && (
        <>
          <Children value={value} depth={depth + 1} openTo={openTo} />
          {after}
        </>
      )}
    </div>
  );
}

function Scalar({ value }: { value: unknown }): ReactNode {
  if (typeof value === 'string')
    return (
      <Box component="span" c="var(--v-accent)">
        "{value !== '' && <UntrustedText text={value} max={MAX_STRING} />}"
      </Box>
    );
  return (
    <Box component="span" c="var(--v-warn)">
      {JSON.stringify(value) ?? 'null'}
    </Box>
  );
}

function Children({ value, depth, openTo }: { value: object; depth: number; openTo: number }) {
  const entries = Object.entries(value);
  return (
    <Box pl="md">
      {entries.slice(0, MAX_CHILDREN).map(([key, child]) => (
        <JsonNode
          key={key}
          {...(Array.isArray(value) ? {} : { name: key })}
          value={child}
          depth={depth}
          openTo={openTo}
        />
      ))}
      {entries.length > MAX_CHILDREN && <div>{entries.length - MAX_CHILDREN} more; copy to see all</div>}
    </Box>
  );
}
