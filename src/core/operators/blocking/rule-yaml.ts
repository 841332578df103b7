import { URL_COMPONENTS } from '../../preview/rules/url-pattern.js';
import { RULE_LISTS, type AddedRule, type RuleList, type RuleValue } from './added-rule.js';

const HEAD = `# Each list whole, as it is in effect: it takes the place of the one in the configuration file. Remove the rules on
# the page Blocking once the file has been reloaded.`;

/** Lists that operators added to, as the configuration says them; `configured`: what stands there already. */
export function rulesYaml(
  added: readonly AddedRule[],
  configured: (list: RuleList) => readonly RuleValue[],
): string {
  const lists = RULE_LISTS.filter((list) => added.some((rule) => rule.list === list));
  if (lists.length === 0) return '# Nothing was added on the page Blocking.\n';
  return `${[HEAD, ...lists.map((list) => listYaml(list, added, configured(list)))].join('\n')}\n`;
}

function listYaml(list: RuleList, added: readonly AddedRule[], configured: readonly RuleValue[]): string {
  const own = added.filter((rule) => rule.list === list);
  return [`${list}:`, ...configured.map(entryYaml), ...own.map(addedYaml)].join('\n');
}

function addedYaml({ value, standing, createdBy, note }: AddedRule): string {
  // Ends and separators of lines stand in no comment.
  const words = `added by ${createdBy}${note === '' ? '' : `: ${note}`}`.replaceAll(
    /[\p{Cc}\p{Zl}\p{Zp}]/gu,
    ' ',
  );
  const entry = entryYaml(value);
  if (standing === 'in_effect') return `  # ${words}\n${entry}`;
  return `  # not in effect, ${words}\n${entry.replaceAll(/^/gm, '  #')}`;
}

/** YAML's double quotes know JSON's escapes. */
function entryYaml(value: RuleValue): string {
  if (typeof value === 'string') return `  - ${JSON.stringify(value)}`;
  return URL_COMPONENTS.flatMap((component) => {
    const pattern = value[component];
    return pattern === undefined ? [] : [`${component}: ${JSON.stringify(pattern)}`];
  })
    .map((line, index) => `  ${index === 0 ? '-' : ' '} ${line}`)
    .join('\n');
}
