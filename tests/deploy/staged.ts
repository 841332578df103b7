import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The program as `deploy/stage.sh` puts it into a folder, or why it could not. */
export type Staged =
  | { missing: null; folder: string; remove: () => Promise<void> }
  | { missing: string; folder: null; remove: () => Promise<void> };

/** Runs it; only what the registry does not give is no failure. Everybody may read the folder above. */
export async function stageProgram(): Promise<Staged> {
  const root = await mkdtemp(join(tmpdir(), 'vidimus-staged-'));
  await chmod(root, 0o755);
  const remove = () => rm(root, { recursive: true, force: true });
  const folder = join(root, 'program');
  const { status, stderr } = spawnSync('deploy/stage.sh', [folder], { encoding: 'utf8' });
  if (status === 0) return { missing: null, folder, remove };
  const missing = registryIsAway(stderr);
  if (missing === null) throw new Error(`deploy/stage.sh: ${stderr}`);
  return { missing, folder: null, remove };
}

/** Why a test is left out after npm said this; `null` when the registry was not to blame. */
export function registryIsAway(stderr: string): string | null {
  const isAway = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOTCACHED/.test(stderr);
  return isAway ? 'skipped: the registry gives no packages' : null;
}
