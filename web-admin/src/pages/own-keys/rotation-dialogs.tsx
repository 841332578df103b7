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
    const { beginKeyRotation: payload } = await mutateAsync({ input: {} });
    if (payload.userErrors.length === 0) tell(`Made ${payload.rotation.newKeyId ?? 'a key'}`);
    return payload.userErrors;
  };
  return (
    <ConfirmDialog {...props} verb="Make" thing="a new signing key" count={1} onConfirm={run} danger={false}>
      <p>
        It is added to the key file on the machine. Nobody sees it before the server is started anew; the key
        in use stays as it is.
      </p>
    </ConfirmDialog>
  );
}

/** Takes a key out of the file. */
export function RetireDialog({ keyId, ...props }: DialogProps & { keyId: string }) {
  const { mutateAsync } = useChange(retireMutation);
  const tell = useTell();
  const run = async () => {
    const { retireSigningKey: payload } = await mutateAsync({ input: { keyId } });
    if (payload.userErrors.length === 0) tell(`Took ${keyId} out of the key file`);
    return payload.userErrors;
  };
  return (
    <ConfirmDialog {...props} verb="Retire" thing={`the signing key ${keyId}`} count={1} onConfirm={run}>
      <p>
        Its line moves to a file beside the key file; nothing is deleted. It signs until the server is started
        anew, and then stands under old_verify_keys. Peers whose configuration names this key alone no longer
        take our answers.
      </p>
    </ConfirmDialog>
  );
}
