import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGES = '/usr/share/gocode';
const NEEDED = `${PACKAGES}/src/golang.org/x/mod/sumdb/tlog`;

/** Why Go's own packages cannot be asked here, with a blank in front; `null`: they can. */
export function whyNoGo(): string | null {
  if (spawnSync('go', ['version']).status !== 0) return ' (left out: go is not installed)';
  return existsSync(NEEDED) ? null : ' (left out: golang-golang-x-mod-dev is not installed)';
}

/** Builds main.go. Returns the folder it is in, for the caller to remove. */
export function buildChecker(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vidimus-go-'));
  const source = fileURLToPath(new URL('./main.go', import.meta.url));
  const env = {
    ...process.env,
    GO111MODULE: 'off',
    GOPATH: PACKAGES,
    GOFLAGS: '',
    // In the checkout, so that a later run builds nothing.
    GOCACHE: resolve('node_modules/.cache/go'),
  };
  const { status, stderr } = spawnSync('go', ['build', '-o', join(folder, 'checker'), source], { env });
  if (status !== 0) throw new Error(String(stderr));
  return folder;
}

/** Answers to tasks as main.go states them, in order. */
export async function askChecker(
  folder: string,
  verifierKey: string,
  tasks: readonly string[],
): Promise<string[]> {
  const child = spawn(join(folder, 'checker'), [verifierKey], { stdio: ['pipe', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stdin.end(tasks.map((task) => `${task}\n`).join(''));
  await once(child, 'close');
  const answers = Buffer.concat(chunks).toString().trimEnd().split('\n');
  if (answers.length !== tasks.length) throw new Error(`${answers.length} answers to ${tasks.length} tasks`);
  return answers;
}
