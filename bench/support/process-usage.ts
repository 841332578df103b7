import { readFile, readdir } from 'node:fs/promises';

/** Clock ticks a second in /proc; 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const UTIME = 11;
const STIME = 12;

/** CPU a process has used so far, all threads, in ms with a grain of 10 ms; `null` where there is no /proc. */
export async function cpuMsOf(pid: number): Promise<number | null> {
  const stat = await readProc(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The command's name stands in brackets and may hold blanks; the fields behind it do not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[UTIME]) + Number(fields[STIME])) * 1000) / TICKS_PER_SECOND;
}

/** Resident memory of a process in bytes; `null` where there is no /proc. */
export async function residentBytesOf(pid: number): Promise<number | null> {
  const status = await readProc(`/proc/${pid}/status`);
  const kilobytes = status?.match(/^VmRSS:\s+(\d+) kB$/m)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

async function readProc(path: string): Promise<string | null> {
  return readFile(path, 'latin1').catch(() => null);
}

/** CPU that the threads a process has now have used, in ms to the nanosecond; `null` where there is no /proc. */
export async function exactCpuMsOf(pid: number): Promise<number | null> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => null);
  if (threads === null) return null;
  const each = await Promise.all(threads.map((thread) => readProc(`/proc/${pid}/task/${thread}/schedstat`)));
  return each.reduce((sum, stat) => sum + Number(stat?.split(' ')[0] ?? 0), 0) / 1e6;
}
