import { existsSync, readFileSync } from 'node:fs';

/** The package's manifest is two folders up from the sources and three up from the compiled program. */
const MANIFESTS = ['../../package.json', '../../../package.json'].map(
  (path) => new URL(path, import.meta.url),
);

export const VERSION: string = readVersion();

function readVersion(): string {
  const path = MANIFESTS.find((url) => existsSync(url));
  const manifest: unknown = path === undefined ? null : JSON.parse(readFileSync(path, 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '0';
}
