import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { makeFolders } from '../../../src/core/base/make-folders.js';

describe('makeFolders', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'vidimus-folders-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('makes all that are missing, with the mode asked for, and names the topmost', () => {
    expect(makeFolders(join(root, 'a/b/c'), 0o700)).toBe(join(root, 'a'));
    expect(['a', 'a/b', 'a/b/c'].map((name) => statSync(join(root, name)).mode & 0o777)).toEqual([
      0o700, 0o700, 0o700,
    ]);
    expect(makeFolders(join(root, 'a/b/c'))).toBeUndefined();
    expect(makeFolders(join(root, 'a/b/d'))).toBe(join(root, 'a/b/d'));
  });

  it('takes a path without folders as the present one', () => {
    expect(makeFolders('.')).toBeUndefined();
  });

  it('fails where a file is in the way', () => {
    writeFileSync(join(root, 'file'), '');
    expect(() => makeFolders(join(root, 'file/a'))).toThrow(/ENOTDIR/);
  });

  it.runIf(existsSync('/proc/self'))('fails at once where the system takes no folders', () => {
    expect(() => makeFolders('/proc/vidimus/data')).toThrow(/ENOENT.*'\/proc\/vidimus'/);
  });
});
