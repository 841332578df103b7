import { readFile } from 'node:fs/promises';

/** The accounts of a machine, in the form of its files. */
export interface AccountFiles {
  passwd: string;
  group: string;
}

/** Who may read a file beside its group. */
export interface FileReaders {
  gid: number;
  /** The owner of the file, and the user this process runs as. */
  uids: readonly number[];
}

/** The machine's own; rejects where there are none, as on Windows. */
export async function readAccountFiles(): Promise<AccountFiles> {
  const [passwd, group] = await Promise.all([
    readFile('/etc/passwd', 'utf8'),
    readFile('/etc/group', 'utf8'),
  ]);
  return { passwd, group };
}

/**
 * Names in a group besides the given users, whether they are listed with it or have it as their first one; `null` when
 * the group is not in the file, so that nobody can tell.
 */
export function otherMembers({ passwd, group }: AccountFiles, { gid, uids }: FileReaders): string[] | null {
  const entry = rowsOf(group).find(([, , id]) => id === String(gid));
  if (entry === undefined) return null;
  const users = rowsOf(passwd);
  const first = users.filter(([, , , primary]) => primary === String(gid)).map(([name = '']) => name);
  const listed = (entry[3] ?? '').split(',').filter((name) => name !== '');
  const ours = new Set(users.filter(([, , uid]) => uids.includes(Number(uid))).map(([name]) => name));
  return [...new Set([...first, ...listed])].filter((name) => !ours.has(name));
}

function rowsOf(text: string): string[][] {
  return text.split('\n').map((line) => line.trim().split(':'));
}
