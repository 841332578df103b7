import { useChange } from '../../api/use-change.js';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.js';
import {
  removeNotaryMutation,
  removePinMutation,
  removeWatchMutation,
  type RuleData,
} from './watches-query.js';

/** What is to go. */
export type Removal = Pick<RuleData, 'kind' | 'name'>;

const NOUNS = { WATCH: 'watch', PIN: 'pin', NOTARY: 'notary' } as const;
const WORDS = {
  WATCH: 'Nobody is told of its key events any more, unless of alarms. What waits to be delivered still is.',
  PIN: 'Whatever keys the server publishes are served from now on. Its events and alarms stay.',
  NOTARY: 'It is asked no more. What it said stays in the events of the servers.',
} as const;

/** Removes a rule that operators added. */
export function RemoveDialog({ removal, onClose }: { removal: Removal | null; onClose: () => void }) {
  const watch = useChange(removeWatchMutation);
  const pin = useChange(removePinMutation);
  const notary = useChange(removeNotaryMutation);
  const { kind, name } = removal ?? { kind: 'WATCH' as const, name: '' };
  const remove = async () => {
    const variables = { input: { serverName: name } };
    if (kind === 'WATCH') return (await watch.mutateAsync(variables)).removeWatch.userErrors;
    if (kind === 'PIN') return (await pin.mutateAsync(variables)).removePin.userErrors;
    return (await notary.mutateAsync(variables)).removeNotary.userErrors;
  };
  const of = name === '*' ? 'all servers' : name;
  return (
    <ConfirmDialog
      opened={removal !== null}
      onClose={onClose}
      verb="Remove"
      thing={kind === 'NOTARY' ? `the notary ${name}` : `the ${NOUNS[kind]} of ${of}`}
      count={1}
      onConfirm={remove}
    >
      <p>{WORDS[kind]}</p>
    </ConfirmDialog>
  );
}
