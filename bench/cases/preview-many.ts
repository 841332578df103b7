import { handlesOf, type PreviewServer, type PreviewWorld } from '../support/preview-world.js';
import { residentBytesOf } from '../support/process-usage.js';
import { formatNumber, type ReportLine } from '../support/report.js';

const MARK_MB = 250;
const AT_ONCE = 16;
const REST_MS = 3000;
const MEMORY_RESULT = 'vidimus_preview_requests_total{result="memory"}';
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

/** How many different previews stay in a memory cache that is too small for all of them, and their bytes. */
export async function measureMemoryCache(
  server: PreviewServer,
  world: PreviewWorld,
  { count, maxBytes }: { count: number; maxBytes: number },
): Promise<ReportLine> {
  const { pid, port, authorization } = server;
  const paths = world.take('small', count);
  const job = { port, authorization, durationMs: null };
  const { bytes, failed } = await world.load.run({ ...job, paths, atOnce: AT_ONCE });
  const hitsBefore = await server.metric(MEMORY_RESULT);
  // The newest first: what is still there is counted before anything else can drive it out.
  await world.load.run({ ...job, paths: paths.toReversed(), atOnce: 1 });
  const kept = (await server.metric(MEMORY_RESULT)) - hitsBefore;
  const urlBytes = decodeURIComponent(paths[0] ?? '').length;
  const keptBytes = kept * (bytes / count + urlBytes);
  const resident = await residentBytesOf(pid);
  return {
    case: `${formatNumber(count)} different URLs in a memory cache of ${formatNumber(maxBytes / MB)} MB`,
    figures: { kept, keptBytes, failed, rssMb: resident === null ? null : resident / MB },
    text:
      `${formatNumber(kept)} kept with ${formatNumber(keptBytes / MB)} MB of URLs and answers` +
      (resident === null ? '' : `, RSS ${formatNumber(resident / MB)} MB`),
    mark: 'within its bound',
    reached: failed === 0 && kept > 0 && kept < count && keptBytes <= maxBytes,
  };
}
