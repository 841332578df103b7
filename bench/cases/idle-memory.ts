import { residentBytesOf } from '../support/process-usage.js';
import { formatNumber, type ReportLine } from '../support/report.js';

const MARK_MB = 150;
const LOOKS = 8;
const INTERVAL_MS = 1000;
const MB = 1024 * 1024;

/** Resident memory of a server that has just been started and left alone for a while. */
export async function measureIdleMemory(pid: number): Promise<ReportLine> {
  let bytes: number | null = null;
  for (let look = 0; look < LOOKS; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    bytes = await residentBytesOf(pid);
  }
  const mb = bytes === null ? null : bytes / MB;
  return {
    case: 'idle memory (RSS)',
    figures: { rssMb: mb },
    text: mb === null ? 'not measured: no /proc' : `${formatNumber(mb)} MB`,
    mark: `at most ${MARK_MB} MB`,
    reached: mb === null ? null : mb <= MARK_MB,
  };
}
