import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import type { PreviewLoadJob, PreviewLoadOutcome } from '../processes/preview-load.js';
import type { PreviewOriginState } from '../processes/preview-origin.js';
import { startWorker, type Worker } from './child.js';
import { PROGRAM, startVidimus, type VidimusOptions, type VidimusProcess } from './vidimus-process.js';

/** The web server that previews are made of, and what asks for them. */
export interface PreviewWorld {
  readonly origin: Worker<object, PreviewOriginState>;
  readonly originPort: number;
  readonly load: Worker<PreviewLoadJob, PreviewLoadOutcome>;
  /** Paths of previews nobody has asked for, of pages on 16 hosts. */
  take(kind: 'page' | 'hostile', count: number): string[];
  /** The path of one preview that is asked for again and again. */
  readonly fixedPath: string;
  end(): Promise<void>;
}

/** A server with a token to ask it for previews. */
export interface PreviewServer extends VidimusProcess {
  readonly authorization: string;
  /** Resolves when no thumbnails are pending. */
  settle(): Promise<void>;
  /** The value of a metric with its labels as they stand in the text; 0 when it is not there. */
  metric(name: string): Promise<number>;
}

/** As many as are asked for at a time, so that no host's lane is what limits the rate. */
const HOSTS = 16;
/** Long: a look at the metrics is work of the server, too. */
const SETTLE_INTERVAL_MS = 100;

/** Starts the web server and the generator, each in its own process. */
export async function startPreviewWorld(): Promise<PreviewWorld> {
  const origin = startWorker<object, PreviewOriginState>('preview-origin');
  const load = startWorker<PreviewLoadJob, PreviewLoadOutcome>('preview-load');
  const { port } = await origin.run({});
  let taken = 0;
  return {
    origin,
    originPort: port,
    load,
    take: (kind, count) =>
      Array.from({ length: count }, () => {
        taken += 1;
        return previewPath(`http://127.0.0.${1 + (taken % HOSTS)}:${port}/${kind}/${taken}`);
      }),
    fixedPath: previewPath(`http://127.0.0.1:${port}/page/0`),
    end: async () => {
      await Promise.all([origin.end(), load.end()]);
    },
  };
}

/** Starts a server on a folder that may hold previews of an earlier start. */
export async function startPreviewServer(options: VidimusOptions): Promise<PreviewServer> {
  const allowed = { url_preview_ip_range_whitelist: ['127.0.0.0/8'] };
  const vidimus = await startVidimus({
    ...options,
    hasAdmin: true,
    settings: { ...options.settings, ...allowed },
  });
  const authorization = `Bearer ${createToken(options)}`;
  const metrics = async () => (await fetch(`http://127.0.0.1:${vidimus.metricsPort}/metrics`)).text();
  const metric = async (name: string) => valueOf(await metrics(), name);
  const settle = async () => {
    for (;;) {
      const text = await metrics();
      const images = (state: string) =>
        valueOf(text, `vidimus_preview_work{work="picture",state="${state}"}`);
      if (images('running') + images('waiting') === 0) return;
      await new Promise((resolve) => setTimeout(resolve, SETTLE_INTERVAL_MS));
    }
  };
  return { ...vidimus, authorization, metric, settle };
}

/** Of several workers together. */
function valueOf(metrics: string, name: string): number {
  const lines = metrics
    .replaceAll(/,?worker="\d+"/g, '')
    .replaceAll('{} ', ' ')
    .split('\n');
  const those = lines.filter((line) => line.startsWith(`${name} `));
  return those.reduce((sum, line) => sum + Number(line.slice(name.length + 1)), 0);
}

function previewPath(url: string): string {
  return `/_svc/media/v3/preview_url?url=${encodeURIComponent(url)}`;
}

/** A token for previews, or of another scope. */
export function createToken(
  { folder, program = PROGRAM }: Pick<VidimusOptions, 'folder' | 'program'>,
  scope = ['--user', '@bench:example.org'],
): string {
  const args = ['token', 'create', '--config', join(folder, 'config.yaml'), ...scope];
  return execFileSync(process.execPath, [program, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
}
