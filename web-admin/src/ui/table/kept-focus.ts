import { useEffect, useRef, type RefObject } from 'react';

/** Keeps the keyboard in a list when the row it was in goes: the list itself has it then. Put the ref on the list. */
export function useKeptFocus(): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null);
  const focused = useRef<Element | null>(null);
  // After every drawing: the row may have gone with it.
  useEffect(() => {
    if (focused.current?.isConnected === false && document.activeElement === document.body) {
      list.current?.focus({ preventScroll: true });
    }
    const { activeElement } = document;
    focused.current = list.current?.contains(activeElement) === true ? activeElement : null;
  });
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      const isInside = target instanceof Element && list.current?.contains(target) === true;
      focused.current = isInside ? target : null;
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, []);
  return list;
}
