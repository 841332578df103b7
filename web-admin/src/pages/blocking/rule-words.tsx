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

/** The parts of a rule; all of them must match. */
export function RuleParts({ parts }: { parts: RuleData['parts'] }) {
  return (
    <ul className={styles.parts}>
      {parts.map(({ component, pattern }) => (
        <li key={component}>
          {component !== 'address' && component !== 'server_name' && (
            <span className={styles.component}>{component}</span>
          )}
          <code className={styles.pattern}>
            <UntrustedText text={pattern} max={80} inside />
          </code>
        </li>
      ))}
    </ul>
  );
}
