import { Button, Checkbox, Fieldset, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';

import { useChange } from '../../api/use-change.js';
import type { TokenScope } from '../../gql/graphql.js';
import { Dialog, DialogForm } from '../../ui/dialog/dialog.js';
import { Snippet } from '../../ui/text/text.js';
import { createTokenMutation, SCOPE_NAMES, SCOPES } from './access-query.js';

/** Creates an API token; the secret is shown once. */
export function TokenDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="New API token" size="lg">
      <Steps onClose={onClose} />
    </Dialog>
  );
}

function Steps({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>(null);
  if (secret === null) return <TokenForm onMade={setSecret} onClose={onClose} />;
  return (
    <Stack gap="sm">
      <p role="status">
        This is the only time the token is shown. Store it where you keep passwords, then close this window.
      </p>
      <Snippet text={secret} what="API token" />
      <Group justify="flex-end">
        <Button variant="filled" onClick={onClose}>
          I have stored it
        </Button>
      </Group>
    </Stack>
  );
}

const LIFETIMES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
  { value: '', label: 'does not expire' },
];

/** A new token as it is being typed. */
interface TokenRequest {
  name: string;
  scopes: readonly TokenScope[];
  user: string;
  /** Days of its life; empty = it does not expire. */
  days: string;
}

const EMPTY_REQUEST: TokenRequest = { name: '', scopes: ['ADMIN_READ'], user: '', days: '90' };

interface TokenFormProps {
  /** Gets the secret, which is shown this once. */
  onMade: (secret: string) => void;
  onClose: () => void;
}

function TokenForm({ onMade, onClose }: TokenFormProps) {
  const [{ name, scopes, user, days }, setRequest] = useState(EMPTY_REQUEST);
  const { mutateAsync } = useChange(createTokenMutation);
  // A token that asks for previews does so for a user.
  const needsUser = scopes.includes('PREVIEW');
  const change = (patch: Partial<TokenRequest>) => setRequest((before) => ({ ...before, ...patch }));
  const run = async () => {
    const { secret, userErrors } = (
      await mutateAsync({
        name,
        scopes: [...scopes],
        user: needsUser ? user.trim() : null,
        expiresInDays: days === '' ? null : Number(days),
      })
    ).createApiToken;
    if (secret !== null) onMade(secret);
    return userErrors.length === 0 ? null : userErrors;
  };
  return (
    <DialogForm verb="Create token" onClose={onClose} onRun={run} isDisabled={scopes.length === 0}>
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => change({ name: event.currentTarget.value })}
        maxLength={100}
        required
        data-autofocus
      />
      <ScopeBoxes scopes={scopes} onChange={(next) => change({ scopes: next })} />
      {needsUser && (
        <TextInput
          label="User"
          description="The user whose previews it requests."
          placeholder="@alice:example.org"
          value={user}
          onChange={(event) => change({ user: event.currentTarget.value })}
          maxLength={255}
          required
        />
      )}
      <NativeSelect
        label="Valid for"
        value={days}
        data={LIFETIMES}
        onChange={(event) => change({ days: event.currentTarget.value })}
      />
    </DialogForm>
  );
}

interface ScopeBoxesProps {
  scopes: readonly TokenScope[];
  onChange: (scopes: readonly TokenScope[]) => void;
}

function ScopeBoxes({ scopes, onChange }: ScopeBoxesProps) {
  return (
    <Fieldset legend="Permissions">
      <Stack gap="xs">
        {SCOPE_NAMES.map((scope) => (
          <Checkbox
            key={scope}
            label={SCOPES[scope].label}
            description={SCOPES[scope].words}
            checked={scopes.includes(scope)}
            onChange={(event) =>
              onChange(
                event.currentTarget.checked ? [...scopes, scope] : scopes.filter((known) => known !== scope),
              )
            }
          />
        ))}
      </Stack>
    </Fieldset>
  );
}
