import { useEffect, useId, useRef, useState, type RefObject } from 'react';

import styles from './tip-layer.module.css';

interface Tip {
  target: HTMLElement;
  text: string;
  left: number;
  top: number;
  below: boolean;
}

const GAP = 6;
const EDGE = 8;
const MAX_WIDTH = 420;

function tipOf(node: EventTarget | null): Tip | null {
  const target = node instanceof Element ? node.closest<HTMLElement>('[data-tip]') : null;
  const text = target?.dataset.tip ?? '';
  if (target === null || text === '') return null;
  const box = target.getBoundingClientRect();
  const below = box.top < 80;
  const half = Math.min(MAX_WIDTH, Math.max(40, text.length * 7 + 20)) / 2;
  const middle = box.left + Math.min(box.width, MAX_WIDTH) / 2;
  const left = Math.min(
    Math.max(middle, half + EDGE),
    Math.max(half + EDGE, window.innerWidth - half - EDGE),
  );
  return { target, text, left, top: below ? box.bottom + GAP : box.top - GAP, below };
}

/** The tip of what is hovered or focused; Escape and scrolling close it, the pointer may rest on `box`. */
function useTip(box: RefObject<HTMLElement | null>): Tip | null {
  const [tip, setTip] = useState<Tip | null>(null);
  useEffect(() => {
    const show = (event: Event) => {
      if (event.target instanceof Node && box.current?.contains(event.target)) return;
      setTip(tipOf(event.target));
    };
    const hide = () => setTip(null);
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') hide();
    };
    document.addEventListener('pointerover', show);
    document.addEventListener('focusin', show);
    document.addEventListener('focusout', hide);
    document.addEventListener('keydown', onKey);
    window.addEventListener('scroll', hide, true);
    return () => {
      document.removeEventListener('pointerover', show);
      document.removeEventListener('focusin', show);
      document.removeEventListener('focusout', hide);
      document.removeEventListener('keydown', onKey);
      window.removeEventListener('scroll', hide, true);
    };
  }, [box]);
  return tip;
}

function useDescribes(target: HTMLElement | undefined, id: string): void {
  useEffect(() => {
    if (target === undefined || target.hasAttribute('aria-describedby')) return undefined;
    target.setAttribute('aria-describedby', id);
    return () => target.removeAttribute('aria-describedby');
  }, [target, id]);
}

/**
 * One tooltip for every element with `data-tip`, on hover and on focus; Escape closes it, the pointer may rest on
 * it. Mounted once by the app: a table of 100 rows costs no listener per cell.
 */
export function TipLayer() {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const tip = useTip(box);
  useDescribes(tip?.target, id);
  if (tip === null) return null;
  return (
    <div
      ref={box}
      id={id}
      role="tooltip"
      className={styles.tip}
      data-below={tip.below || undefined}
      style={{ left: tip.left, top: tip.top }}
    >
      {tip.text}
    </div>
  );
}
