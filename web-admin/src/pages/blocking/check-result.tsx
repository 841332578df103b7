import { Panel } from '../../ui/page/panel.js';
import { StateBadge } from '../../ui/state/state-badge.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
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
      <Components components={check.components} />
      {isResolved && <Addresses addresses={check.addresses} />}
    </>
  );
}

function Components({ components }: { components: CheckData['components'] }) {
  if (components.length === 0) return null;
  return (
    <Panel title="The address as rules see it" flush>
      <table className={styles.values}>
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col">As written</th>
            <th scope="col">As fetched</th>
          </tr>
        </thead>
        <tbody>
          {components.map(({ name, value, fetchedValue }) => (
            <tr key={name}>
              <th scope="row" className={styles.name}>
                {name}
              </th>
              <td>{value === null ? '—' : <UntrustedText text={value} mono />}</td>
              <td>
                {fetchedValue === value ? (
                  <span className={styles.note}>the same</span>
                ) : fetchedValue === null ? (
                  '—'
                ) : (
                  <UntrustedText text={fetchedValue} mono />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
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
