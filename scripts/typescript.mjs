// Lets this process import the TypeScript sources as they are: node --import ./scripts/typescript.mjs FILE.ts
import { existsSync, readFileSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';

// The thread of the hooks loads this file as well.
if (!import.meta.url.endsWith('?hooks')) register(`${import.meta.url}?hooks`);

/** What transformed decorators call, as TypeScript's own helpers have it. */
globalThis.babelHelpers = {
  decorate(decorators, target, key, descriptor) {
    const found = descriptor === null ? Object.getOwnPropertyDescriptor(target, key) : descriptor;
    const apply = (made, decorator) =>
      (key === undefined ? decorator(made) : decorator(target, key, made)) ?? made;
    const made = decorators.reduceRight(apply, key === undefined ? target : found);
    return key !== undefined && made ? Object.defineProperty(target, key, made) : made;
  },
  decorateParam: (index, decorator) => (target, key) => decorator(target, key, index),
};

/** Sources import one another under the names of what the build makes of them. */
export function resolve(specifier, context, next) {
  if (specifier.startsWith('.') && specifier.endsWith('.js')) {
    const source = new URL(specifier.replace(/js$/, 'ts'), context.parentURL);
    if (existsSync(source)) return next(source.href, context);
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const { transformSync } = await import('rolldown/utils');
  const path = fileURLToPath(url);
  const { code, errors } = transformSync(path, readFileSync(path, 'utf8'), {
    helpers: { mode: 'External' },
  });
  if (errors.length > 0) throw new SyntaxError(`${path}: ${errors[0].message}`);
  return { format: 'module', source: code, shortCircuit: true };
}
