import { useChange } from '../../../api/use-change.js';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.js';
import { useTell } from '../../../ui/dialog/use-tell.js';
import { revokeTokenMutation, type TokenRow } from '../access-query.js';

/** Asks before a token is refused for good. */
export function RevokeDialog({ token, onClose }: { token: TokenRow | null; onClose: () => void }) {
  const { mutateAsync } = useChange(revokeTokenMutation);
  const tell = useTell();
  const run = async () => {
    if (token === null) return [];
    const { revokeApiToken } = await mutateAsync({ id: token.id });
    if (revokeApiToken.userErrors.length === 0) tell(`Revoked the token ${token.name}`);
    return revokeApiToken.userErrors;
  };
  return (
    <ConfirmDialog
      opened={token !== null}
      onClose={onClose}
      verb="Revoke"
      thing={`the token ${token?.name ?? ''}`}
      count={1}
      onConfirm={run}
    >
      <p>
        It stops working within seconds and its sessions end. This cannot be undone; what was done with the
        token stays.
      </p>
    </ConfirmDialog>
  );
}
