import { useState, type ReactNode } from 'react';

import { UntrustedText } from '../text/untrusted-text.js';
import styles from './json-view.module.css';

interface JsonNodeProps {
  name?: string;
  value: unknown;
  depth: number;
  openTo: number;
}

const MAX_CHILDREN = 200;
const MAX_STRING = 400;

function Name({ name }: { name: string | undefined }) {
  if (name === undefined) return null;
  return (
    <>
      <span className={styles.name}>
        <UntrustedText text={name === '' ? '""' : name} max={80} />
      </span>
      <span className={styles.quiet}>: </span>
    </>
  );
}

function Scalar({ value }: { value: unknown }) {
  if (typeof value === 'string')
    return (
      <span className={styles.string}>
        "{value !== '' && <UntrustedText text={value} max={MAX_STRING} />}"
      </span>
    );
  return <span className={styles.literal}>{String(value)}</span>;
}

/** One value of the tree; objects and lists are buttons that fold. Draws at most 200 children. */
export function JsonNode({ name, value, depth, openTo }: JsonNodeProps) {
  const [open, setOpen] = useState(depth < openTo);
  if (typeof value !== 'object' || value === null)
    return (
      <Leaf name={name}>
        <Scalar value={value} />
      </Leaf>
    );
  const { length } = Object.keys(value);
  const [before, after] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (length === 0)
    return (
      <Leaf name={name}>
        <span className={styles.quiet}>{`${before}${after}`}</span>
      </Leaf>
    );
  return (
    <div>
      <button type="button" className={styles.fold} aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className={styles.arrow} aria-hidden="true" />
        <Name name={name} />
        <span className={styles.quiet}>{open ? before : `${before} ${length} … ${after}`}</span>
      </button>
      {open && (
        <>
          <Children value={value} depth={depth + 1} openTo={openTo} />
          <div className={styles.quiet}>{after}</div>
        </>
      )}
    </div>
  );
}

function Leaf({ name, children }: { name: string | undefined; children: ReactNode }) {
  return (
    <div className={styles.row}>
      <Name name={name} />
      {children}
    </div>
  );
}

function Children({ value, depth, openTo }: { value: object; depth: number; openTo: number }) {
  const entries = Object.entries(value);
  return (
    <div className={styles.children}>
      {entries.slice(0, MAX_CHILDREN).map(([key, child]) => (
        <JsonNode
          key={key}
          {...(Array.isArray(value) ? {} : { name: key })}
          value={child}
          depth={depth}
          openTo={openTo}
        />
      ))}
      {entries.length > MAX_CHILDREN && (
        <div className={styles.quiet}>{entries.length - MAX_CHILDREN} more; copy to see all</div>
      )}
    </div>
  );
}
