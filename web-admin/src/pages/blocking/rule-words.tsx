import { UntrustedText } from '../../ui/text/untrusted-text.js';
import type { RuleData } from './blocking-query.js';
import styles from './blocking.module.css';

export const KINDS: Readonly<Record<RuleData['kind'], string>> = {
  URL_PATTERN: 'URL pattern',
  URL_ALLOW: 'allowed URL pattern',
  IP_DENY: 'denied address',
  IP_ALLOW: 'allowed address',
  FEDERATION_ALLOW: 'allowed server',
};

const SYNTAXES: Readonly<Record<RuleData['parts'][number]['syntax'], string>> = {
  REGEX: 'regular expression',
  WILDCARD: 'wildcards',
  CIDR: 'address range',
  NAME: 'name',
};

/** The parts of a rule; all of them must match. */
export function RuleParts({ parts }: { parts: RuleData['parts'] }) {
  return (
    <ul className={styles.parts}>
      {parts.map(({ component, pattern, syntax }) => (
        <li key={component}>
          {component !== 'address' && component !== 'server_name' && (
            <span className={styles.component}>{component}</span>
          )}
          <code className={styles.pattern} data-tip={SYNTAXES[syntax]} tabIndex={0}>
            <UntrustedText text={pattern} max={80} inside />
          </code>
        </li>
      ))}
    </ul>
  );
}

/** A rule as an entry of its list in the configuration. */
export function ruleYaml({ kind, parts }: Pick<RuleData, 'kind' | 'parts'>): string {
  if (kind !== 'URL_PATTERN' && kind !== 'URL_ALLOW') return `- ${quoted(parts[0]?.pattern ?? '')}`;
  return parts
    .map(({ component, pattern }, index) => `${index === 0 ? '-' : ' '} ${component}: ${quoted(pattern)}`)
    .join('\n');
}

/** YAML's double quotes know JSON's escapes. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
