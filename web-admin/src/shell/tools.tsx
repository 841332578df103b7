import { Menus } from './menus.js';
import { Palette } from './palette.js';
import { Shortcuts } from './shortcuts.js';

/** Palette, menus and keyboard shortcuts of the top bar. */
export function Tools() {
  return (
    <>
      <Palette />
      <Menus />
      <Shortcuts />
    </>
  );
}
