import { Code } from '@mantine/core';

import { toRequestError } from '../../api/request-error.js';
import { useChange } from '../../api/use-change.js';
import type { ReloadSettingsMutation } from '../../gql/graphql.js';
import { Dialog, DialogForm, type UserErrorLine } from '../../ui/dialog/dialog.js';
import { useTell } from '../../ui/dialog/use-tell.js';
import { counted } from '../../ui/text/number-words.js';
import { Note, UntrustedText } from '../../ui/text/text.js';
import { ValueDiff } from '../../ui/text/value-diff.js';
import { reloadMutation } from './settings-query.js';

/** What the file says; a request that failed is one error. */
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
        return { userErrors: [toRequestError(error)], changed: [] };
      }
    },
  };
}

/** What the file on disk would change, and the button that applies it. */
export function ReloadDialog({ report, onClose }: { report: ReloadReport | null; onClose: () => void }) {
  return (
    <Dialog opened={report !== null} onClose={onClose} title="Configuration on disk" size="lg">
      {report !== null && <Report report={report} onClose={onClose} />}
    </Dialog>
  );
}

function Report({ report, onClose }: { report: ReloadReport; onClose: () => void }) {
  const { mutateAsync } = useChange(reloadMutation);
  const tell = useTell();
  const { userErrors, changed } = report;
  const reload = async () => {
    const { reloadSettings } = await mutateAsync({ dryRun: false });
    if (reloadSettings.userErrors.length === 0)
      tell(
        reloadSettings.changed.some(({ waits }) => waits)
          ? 'Reloaded; the rest waits for a restart'
          : 'Reloaded the configuration',
      );
    return reloadSettings.userErrors;
  };
  const isUseful = userErrors.length === 0 && changed.some(({ waits }) => !waits);
  return (
    <DialogForm verb="Reload" cancel="Close" onClose={onClose} onRun={reload} isDisabled={!isUseful}>
      {userErrors.length > 0 && (
        <>
          <p role="alert">The file cannot be used. The running values are still the old ones.</p>
          {userErrors.map(({ message }) => (
            <Code key={message} block className="v-snippet" tabIndex={0}>
              <UntrustedText text={message} />
            </Code>
          ))}
        </>
      )}
      {userErrors.length === 0 && changed.length === 0 && (
        <p>The file is valid and matches the running configuration.</p>
      )}
      {changed.length > 0 && (
        <p>
          {counted(changed.length, 'setting differs', 'settings differ')} from the running configuration.
          {changed.some(({ waits }) => waits) && ' Marked settings take effect after a restart.'}
        </p>
      )}
      <ul>
        {changed.map(({ path, from, to, waits }) => (
          <li key={path}>
            <strong>{path}</strong>{' '}
            {from === null && to === null ? 'a secret, not shown' : <ValueDiff from={from} to={to} />}
            {waits && <Note>waits for a restart</Note>}
          </li>
        ))}
      </ul>
    </DialogForm>
  );
}
