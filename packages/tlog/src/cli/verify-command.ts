import { readLogKey, readPauseMs, readUrl, readUse, required } from './options.js';
import { verifyLog } from './verify-log.js';

export const VERIFY_HELP = `Usage: tlog verify URL --key KEY [options]

Follow a log: it has only grown since the last look, every entry is in it, every record is signed by its server.

  URL                 address of the log: the part before /checkpoint
  --key KEY           verifier key of the log, as its operator publishes it
  --state FILE        remember how far the log was followed; created if missing. Keep it: without it a changed past
                      cannot be noticed
  --watch NAMES       print every entry about these server names, separated by commas
  --no-records        fetch only the records of watched names
  --follow            continue until Ctrl-C
  --every DURATION    time between two looks, such as 30s or 5m (10s)
  --json              print a line of JSON for each entry and each look

When the log has lied, what it signed is saved as log-evidence-TIME.json beside the state.

Exit codes: 0 all is well, 1 the log has lied or vouches for a record that its server has not signed,
2 wrong use or an unusable state, 3 the log cannot be read.`;

export async function verifyCommand(args: string[]): Promise<void> {
  const options = {
    key: { type: 'string' },
    state: { type: 'string' },
    watch: { type: 'string', multiple: true },
    'no-records': { type: 'boolean' },
    follow: { type: 'boolean' },
    every: { type: 'string', default: '10s' },
    json: { type: 'boolean' },
  } as const;
  const config = { args, options, allowPositionals: true } as const;
  const { values, positionals } = readUse(config, ['URL']);
  const [url = ''] = positionals;
  const everyMs = readPauseMs(values.every);
  await verifyLog({
    url: readUrl(url),
    key: readLogKey(required(values.key, '--key')),
    statePath: values.state,
    watched: new Set((values.watch ?? []).flatMap((names) => names.split(','))),
    allRecords: values['no-records'] !== true,
    followMs: values.follow === true ? everyMs : null,
    json: values.json ?? false,
  });
}
