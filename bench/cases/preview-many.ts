import { handlesOf, type PreviewServer, type PreviewWorld } from '../support/preview-world.js';
import { residentBytesOf } from '../support/process-usage.js';
import { formatNumber, type ReportLine } from '../support/report.js';

const MARK_MB = 250;
const AT_ONCE = 16;
const REST_MS = 3000;
const MB = 1024 * 1024;

/** Memory and file handles after many cold previews. `handlesBefore` were held when the server was idle. */
export async function measureManyPreviews(
  server: PreviewServer,
  world: PreviewWorld,
  { paths, handlesBefore }: { paths: string[]; handlesBefore: number | null },
): Promise<ReportLine[]> {
  const { pid, port, authorization } = server;
  const { failed } = await world.load.run({ port, authorization, paths, atOnce: AT_ONCE, durationMs: null });
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  const bytes = await residentBytesOf(pid);
  const handles = await handlesOf(pid);
  const mb = bytes === null ? null : bytes / MB;
  const left = handles === null || handlesBefore === null ? null : handles - handlesBefore;
  const title = `after ${formatNumber(paths.length)} cold previews`;
  return [
    {
      case: `memory (RSS) ${title}`,
      figures: { rssMb: mb, failed },
      text:
        mb === null
          ? 'not measured: no /proc'
          : `${formatNumber(mb)} MB${failed === 0 ? '' : `; ${failed} FAILED`}`,
      mark: `at most ${MARK_MB} MB`,
      reached: mb === null ? null : mb <= MARK_MB && failed === 0,
    },
    {
      case: `file handles ${title}`,
      figures: { handlesBefore, handles },
      text: left === null ? 'not measured: no /proc' : `${handlesBefore} before, ${handles} after`,
      mark: 'none left',
      reached: left === null ? null : left <= 0,
    },
  ];
}
