import { useChange } from '../../api/use-change.js';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.js';
import { useTell } from '../../ui/dialog/use-tell.js';
import { beginMutation, retireMutation } from './own-keys-query.js';

interface DialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Adds a key to the file. */
export function BeginDialog(props: DialogProps) {
  const { mutateAsync } = useChange(beginMutation);
  const tell = useTell();
  const run = async () => {
    const { beginKeyRotation: payload } = await mutateAsync({});
    if (payload.userErrors.length === 0) tell(`Created ${payload.rotation.newKeyId ?? 'a key'}`);
    return payload.userErrors;
  };
  return (
    <ConfirmDialog
      {...props}
      verb="Create"
      thing="a new signing key"
      count={1}
      onConfirm={run}
      danger={false}
    >
      <p>It is added to the key file and published after the next restart. The current key stays in use.</p>
    </ConfirmDialog>
  );
}

/** Takes a key out of the file. */
export function RetireDialog({ keyId, ...props }: DialogProps & { keyId: string }) {
  const { mutateAsync } = useChange(retireMutation);
  const tell = useTell();
  const run = async () => {
    const { retireSigningKey: payload } = await mutateAsync({ keyId });
    if (payload.userErrors.length === 0) tell(`Took ${keyId} out of the key file`);
    return payload.userErrors;
  };
  return (
    <ConfirmDialog {...props} verb="Retire" thing={`the signing key ${keyId}`} count={1} onConfirm={run}>
      <p>
        It moves to a file beside the key file; nothing is deleted. It signs until the next restart and is
        then listed in old_verify_keys. Peers that trust only this key reject our answers.
      </p>
    </ConfirmDialog>
  );
}
