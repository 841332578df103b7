import { Button, Modal } from '@mantine/core';
import { useState } from 'react';

import { toRequestError } from '../../api/request-error.js';
import { useChange } from '../../api/use-change.js';
import type { ReloadSettingsMutation } from '../../gql/graphql.js';
import { useHold } from '../../live/live-context.js';
import type { UserErrorLine } from '../../ui/dialog/user-errors.js';
import { useTell } from '../../ui/dialog/use-tell.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { ValueDiff } from '../../ui/text/value-diff.js';
import { reloadMutation } from './settings-query.js';
import styles from './settings.module.css';

/** What a look at the file says; a request that failed is one error. */
export interface ReloadReport extends Omit<ReloadSettingsMutation['reloadSettings'], 'userErrors'> {
  userErrors: readonly UserErrorLine[];
}

/** Reads the file anew without applying it; resolves to what it says, or to what is wrong. */
export function useCheckSettings(): { check: () => Promise<ReloadReport>; isBusy: boolean } {
  const { mutateAsync, isPending } = useChange(reloadMutation);
  return {
    isBusy: isPending,
    check: async () => {
      try {
        return (await mutateAsync({ dryRun: true })).reloadSettings;
      } catch (error) {
        return { userErrors: [toRequestError(error)], changed: [], restartNeeded: false };
      }
    },
  };
}

/** What the file on disk would change, and the button that applies it. */
export function ReloadDialog({ report, onClose }: { report: ReloadReport | null; onClose: () => void }) {
  useHold(report !== null);
  return (
    <Modal opened={report !== null} onClose={onClose} title="Configuration on disk" size="lg">
      {report !== null && <Report report={report} onClose={onClose} />}
    </Modal>
  );
}

function Report({ report, onClose }: { report: ReloadReport; onClose: () => void }) {
  const { mutateAsync, isPending } = useChange(reloadMutation);
  const [errors, setErrors] = useState<readonly UserErrorLine[]>(report.userErrors);
  const tell = useTell();
  const apply = async () => {
    try {
      const { reloadSettings } = await mutateAsync({ dryRun: false });
      if (reloadSettings.userErrors.length > 0) {
        setErrors(reloadSettings.userErrors);
        return;
      }
      tell(
        reloadSettings.restartNeeded
          ? 'Reloaded; the rest waits for a restart'
          : 'Reloaded the configuration',
      );
      onClose();
    } catch (error) {
      setErrors([toRequestError(error)]);
    }
  };
  const applicable = report.changed.some(({ restartNeeded }) => !restartNeeded);
  return (
    <div className={styles.stack}>
      <Errors errors={errors} />
      {errors.length === 0 && <Changes report={report} />}
      <div className={styles.buttons}>
        <Button onClick={onClose}>Close</Button>
        {errors.length === 0 && applicable && (
          <Button variant="filled" loading={isPending} onClick={() => void apply()}>
            Reload
          </Button>
        )}
      </div>
    </div>
  );
}

function Errors({ errors }: { errors: ReloadReport['userErrors'] }) {
  if (errors.length === 0) return null;
  return (
    <>
      <p role="alert">The file cannot be used. The running values are still the old ones.</p>
      {errors.map(({ message }) => (
        <pre key={message} className={styles.errors}>
          <UntrustedText text={message} />
        </pre>
      ))}
    </>
  );
}

function Changes({ report }: { report: ReloadReport }) {
  if (report.changed.length === 0) return <p>The file is in order and says what is running already.</p>;
  return (
    <>
      <p>
        {report.changed.length === 1 ? 'One setting differs' : `${report.changed.length} settings differ`}{' '}
        from what is running.
        {report.restartNeeded && ' Those marked so wait for a restart.'}
      </p>
      <ul>
        {report.changed.map((setting) => (
          <li key={setting.path} className={styles.change}>
            <strong>{setting.path}</strong>
            {setting.secret ? (
              <span>a secret, not shown</span>
            ) : (
              <ValueDiff from={setting.runningValue} to={setting.value} />
            )}
            {setting.restartNeeded && <span className={styles.note}>waits for a restart</span>}
          </li>
        ))}
      </ul>
    </>
  );
}
