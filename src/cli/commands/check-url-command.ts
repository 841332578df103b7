import type { Command } from 'commander';
import type { BlockRule } from '../../core/operators/blocking/rule-registry.js';
import type { CheckedUrl } from '../../core/operators/blocking/url-check.js';
import { configOption, requireConfig, type ConfigOption } from '../configuration.js';
import { EXIT } from '../exit.js';
import { print, printJson, printTable } from '../terminal/print.js';
import { printable } from '../../core/base/text/printable.js';

type CheckOption = ConfigOption & { resolve?: true; json?: true };

export function addCheckUrlCommand(program: Command): void {
  program
    .command('check-url')
    .description('tell which rules would refuse to preview a URL; nothing is requested from it')
    .argument('<url>', 'the URL, in quotation marks')
    .addOption(configOption())
    .option('--resolve', 'ask the name server too, and judge the addresses of the host')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(checkUrl);
}

const EXAMPLES = `
Exit codes: 0 no rule refuses it, 1 it is refused, 2 wrong use or faulty configuration.

Examples:
  $ vidimus check-url 'https://example.org/page?q=1' --config config.yaml
  $ vidimus check-url http://intranet.example/ --resolve -c config.yaml --json`;

async function checkUrl(url: string, option: CheckOption): Promise<void> {
  const settings = requireConfig(option);
  const { createCommandUrlCheck } = await import('../../composition/blocking/rules.js');
  const checked = await createCommandUrlCheck(settings).check(url, { resolve: option.resolve === true });
  if (option.json) printJson(toJson(checked));
  else printCheck(checked);
  process.exitCode = checked.isBlocked ? EXIT.failed : EXIT.ok;
}

function printCheck({ message, components, matches, addresses }: CheckedUrl): void {
  print(printable(message));
  const rows = components
    .filter(({ value, fetchedValue }) => (value ?? '') !== '' || (fetchedValue ?? '') !== '')
    .map(({ name, value, fetchedValue }) => [
      name,
      value ?? '',
      fetchedValue === value ? '' : (fetchedValue ?? ''),
    ]);
  if (rows.length > 0) {
    print('');
    printTable(['COMPONENT', 'AS WRITTEN', 'AS FETCHED'], rows);
  }
  if (matches.length > 0) {
    print('');
    const cells = matches.map(({ position, parts, origin }) => [
      String(position),
      parts.map(({ component, pattern }) => `${component}: ${pattern}`).join(', '),
      origin,
    ]);
    printTable(['MATCHING ENTRY', 'PATTERNS', 'DEFINED IN'], cells);
  }
  if (addresses.length > 0) {
    print('');
    const cells = addresses.map(({ address, isAllowed, rule }) => [
      address,
      isAllowed ? 'allowed' : 'refused',
      rule?.parts[0]?.pattern ?? '',
      rule?.origin ?? '',
    ]);
    printTable(['ADDRESS', 'VERDICT', 'BY RANGE', 'DEFINED IN'], cells);
  }
}

function toJson({ url, isBlocked, message, components, matches, addresses }: CheckedUrl): object {
  return {
    url,
    blocked: isBlocked,
    message,
    components: components.map(({ name, value, fetchedValue }) => ({
      name,
      value,
      fetched_value: fetchedValue,
    })),
    matches: matches.map(ruleJson),
    addresses: addresses.map(({ address, isAllowed, rule }) => ({
      address,
      allowed: isAllowed,
      rule: rule === null ? null : ruleJson(rule),
    })),
  };
}

function ruleJson({ setting, position, parts, origin }: BlockRule): object {
  return { setting, position, parts, origin };
}
