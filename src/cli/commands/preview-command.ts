import { InvalidArgumentError, type Command } from 'commander';
import { configOption, type ConfigOption } from '../configuration.js';
import { CommandError, EXIT, type ExitCode } from '../exit.js';
import { withServices } from '../store-session.js';
import { printJson } from '../terminal/print.js';
import { ProgressLine } from '../terminal/progress.js';

interface PreviewOption extends ConfigOption {
  trace?: true;
  ts?: number;
  fresh?: true;
  json?: true;
}

export function addPreviewCommand(program: Command): void {
  program
    .command('preview')
    .description('preview a URL as a client would get it, and keep nothing of it')
    .argument('<url>', 'the URL, in quotation marks')
    .addOption(configOption())
    .option('--trace', 'show every stage with its time, and what to do where it failed')
    .option('--ts <ms>', 'the point in time a client would state, POSIX ms', readTs)
    .option('--fresh', 'make it anew even where a stored preview would answer')
    .option('--json', 'print JSON, the stages included')
    .addHelpText('after', EXAMPLES)
    .action(preview);
}

const EXAMPLES = `
Rules, refused addresses and limits are those of the configuration. Stored previews answer as they would for a
client; what a running server remembers in memory is not reached from here.

Exit codes: 0 a preview was made, 1 refused or failed, 2 wrong use, 3 the site could not be reached.

Examples:
  $ vidimus preview https://example.org/ --config config.yaml
  $ vidimus preview 'https://example.org/page?q=1' -c config.yaml --trace
  $ vidimus preview https://example.org/ -c config.yaml --fresh --json`;

async function preview(url: string, option: PreviewOption): Promise<void> {
  const { printTrial, trialJson } = await import('../previews/print-trial.js');
  const line = new ProgressLine(process.stderr);
  const ended = ({ name }: { name: string }): void => line.show({ fraction: null, text: name });
  const by = { actor: 'command line', requestId: 'command line', acceptLanguage: null };
  const request = { url, ts: option.ts ?? null, ignoreCaches: option.fresh ?? false, store: false, ...by };
  const result = await withServices(option, async (services) => {
    const trial = await services.openTrial();
    return trial.try(request, { ended });
  });
  line.clear();
  if (option.json) printJson(trialJson(result));
  else printTrial(result, { withSteps: option.trace ?? false });
  const failed = result.steps.find(({ status }) => status === 'failed');
  if (result.status !== 200) {
    throw new CommandError(null, await exitCodeOf(String(failed?.detail?.['reason'] ?? '')));
  }
}

async function exitCodeOf(reason: string): Promise<ExitCode> {
  const { meansUnreachable } = await import('../key-query/ask-origin.js');
  return meansUnreachable(reason) ? EXIT.unreachable : EXIT.failed;
}

function readTs(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Wanted: POSIX time in milliseconds.');
}
