import { Modal } from '@mantine/core';
import { useId, useState, type KeyboardEvent } from 'react';
import { useLocation } from 'wouter';

import { useHold } from '../../live/live-context.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { noteTarget } from './recent.js';
import type { Target } from './targets.js';
import { useTargets } from './use-targets.js';
import styles from './palette.module.css';

interface PaletteProps {
  onClose: () => void;
}

/** Goes to a page, server, site, address, media or request by typing; a combobox (ARIA APG). */
export function Palette({ onClose }: PaletteProps) {
  useHold(true);
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      centered={false}
      padding={0}
      size={560}
      yOffset="8vh"
      aria-label="Go to"
    >
      <Finder onClose={onClose} />
    </Modal>
  );
}

function Finder({ onClose }: PaletteProps) {
  const [text, setText] = useState('');
  const { targets, isSearching } = useTargets(text);
  const go = useGo(onClose);
  const { at, restart, onKeyDown } = useChosen(targets, go);
  const id = useId();
  return (
    <div className={styles.finder}>
      <input
        role="combobox"
        aria-label="Go to"
        aria-expanded={targets.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        aria-autocomplete="list"
        className={styles.input}
        placeholder="Server, address, site, request id, media id or page"
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          restart();
        }}
        onKeyDown={onKeyDown}
        maxLength={8192}
        spellCheck={false}
        autoComplete="off"
        data-autofocus
      />
      <Options id={id} targets={targets} at={at} onGo={go} />
      <p role="status" className={styles.foot}>
        {countWords(targets.length, isSearching)}
      </p>
    </div>
  );
}

interface OptionsProps {
  id: string;
  targets: readonly Target[];
  /** Which one is chosen. */
  at: number;
  onGo: (target: Target) => void;
}

function Options({ id, targets, at, onGo }: OptionsProps) {
  return (
    <div id={`${id}-list`} role="listbox" aria-label="Where to" className={styles.list}>
      {targets.map((target, index) => (
        <Option
          key={target.href}
          id={`${id}-${index}`}
          target={target}
          isChosen={index === at}
          onGo={() => onGo(target)}
        />
      ))}
    </div>
  );
}

/** Which option the arrows have come to, -1 when there is none; Enter goes there. */
function useChosen(targets: readonly Target[], go: (target: Target) => void) {
  const [chosen, setChosen] = useState(0);
  const at = Math.min(chosen, targets.length - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextOf(event.key, { at, count: targets.length });
    const target = targets[at];
    if (next !== null) setChosen(next);
    else if (event.key === 'Enter' && target !== undefined) go(target);
    else return;
    event.preventDefault();
  };
  return { at, restart: () => setChosen(0), onKeyDown };
}

interface OptionProps {
  id: string;
  target: Target;
  isChosen: boolean;
  onGo: () => void;
}

/** The focus stays in the box, so an option takes none. */
function Option({ id, target: { kind, label }, isChosen, onGo }: OptionProps) {
  return (
    <button
      type="button"
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      className={styles.option}
      ref={isChosen ? keepInView : undefined}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onGo}
    >
      <span className={styles.label}>
        <UntrustedText text={label} max={90} />
      </span>
      <span className={styles.kind}>{kind}</span>
    </button>
  );
}

function keepInView(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: 'nearest' });
}

function useGo(onClose: () => void): (target: Target) => void {
  const [, navigate] = useLocation();
  return (target) => {
    noteTarget(target);
    onClose();
    navigate(target.href);
  };
}

/** The option a key leads to; null for other keys. */
function nextOf(key: string, { at, count }: { at: number; count: number }): number | null {
  if (count === 0) return null;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (at - 1 + count) % count;
  if (key === 'PageDown') return Math.min(at + 8, count - 1);
  return key === 'PageUp' ? Math.max(at - 8, 0) : null;
}

function countWords(count: number, isSearching: boolean): string {
  if (isSearching) return 'Searching …';
  if (count === 0) return 'Nothing is found. A whole server name, address or id always leads somewhere.';
  return `${count} found. ↑ and ↓ choose, Enter opens.`;
}
