import { Panel } from '../../ui/page/panel.js';
import { StateBadge } from '../../ui/state/state-badge.js';

import type { CheckData } from './blocking-query.js';
import { RuleParts } from './rule-words.js';
import styles from './blocking.module.css';

/** Parts of the address, rules that match, and addresses of its host. */
export function CheckResult({ check, isResolved }: { check: CheckData; isResolved: boolean }) {
  return (
    <>
      {check.matches.length > 0 && (
        <Panel title="Rules that match" note="the first one refuses" flush>
          <table className={styles.values}>
            <tbody>
              {check.matches.map((rule) => (
                <tr key={rule.id}>
                  <td>
                    <RuleParts parts={rule.parts} />
                  </td>
                  <td>
                    {rule.setting}[{rule.position}] <span className={styles.origin}>{rule.origin}</span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Panel>
      )}
      {isResolved && <Addresses addresses={check.addresses} />}
    </>
  );
}

function Addresses({ addresses }: { addresses: CheckData['addresses'] }) {
  return (
    <Panel title="Addresses of the host" note="one denied address is enough to refuse" flush>
      {addresses.length === 0 ? (
        <p className={styles.empty}>The name has no address.</p>
      ) : (
        <table className={styles.values}>
          <tbody>
            {addresses.map(({ address, allowed, rule }) => (
              <tr key={address}>
                <th scope="row">
                  <code>{address}</code>
                </th>
                <td>
                  <StateBadge tone={allowed ? 'ok' : 'bad'}>{allowed ? 'allowed' : 'denied'}</StateBadge>
                </td>
                <td>
                  {rule === null ? (
                    <span className={styles.note}>no range names it</span>
                  ) : (
                    <span className={styles.rule}>
                      <RuleParts parts={rule.parts} />
                      <span className={styles.origin}>{rule.origin}</span>
                    </span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
