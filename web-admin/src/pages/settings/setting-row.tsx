import { StateBadge } from '../../ui/state/state-badge.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { ValueDiff, valueWords } from '../../ui/text/value-diff.js';
import { SettingValue } from './setting-value.js';
import type { SettingData } from './settings-query.js';
import styles from './settings.module.css';

const SOURCES: Record<SettingData['source'], string> = {
  DEFAULT: 'default',
  FILE: 'file',
  ENVIRONMENT: 'environment',
};

/** One setting: what it is for, its value, and where that comes from. */
export function SettingRow({ setting }: { setting: SettingData }) {
  const { path, description, value, secret, isSet, source, origin, defaultValue, aliases } = setting;
  const fallback = valueWords(defaultValue);
  return (
    <li className={styles.setting}>
      <div className={styles.cell}>
        <span className={styles.path}>
          {path} <CopyButton text={path} what={`name ${path}`} />
        </span>
        <span className={styles.description}>{description}</span>
        {aliases.length > 0 && <span className={styles.note}>Synapse: {aliases.join(', ')}</span>}
      </div>
      <div className={styles.cell}>
        <SettingValue value={value} secret={secret} isSet={isSet} />
        {source !== 'DEFAULT' && fallback !== null && !secret && (
          <span className={styles.note}>default: {fallback}</span>
        )}
        {setting.isWaiting && (
          <span className={styles.note}>
            <StateBadge tone="warn">waits for a restart</StateBadge>{' '}
            {!secret && <ValueDiff from={value} to={setting.waitingValue} />}
          </span>
        )}
        {setting.changedSinceStart && (
          <span>
            <StateBadge tone="ok">changed since the start</StateBadge>
          </span>
        )}
      </div>
      <div className={styles.cell}>
        <span>{SOURCES[source]}</span>
        {origin !== null && <span className={styles.origin}>{origin}</span>}
        <span className={styles.note}>
          {setting.restartNeeded ? 'takes effect after restart' : 'takes effect after reload'}
        </span>
      </div>
    </li>
  );
}
