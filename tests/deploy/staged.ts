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
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOTCACHED/.test(stderr))
    return { missing: 'skipped: the registry gives no packages', folder: null, remove };
  throw new Error(`deploy/stage.sh: ${stderr}`);
}
