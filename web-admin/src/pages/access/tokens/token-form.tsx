import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';

import { useChange } from '../../../api/use-change.js';
import { useSubmit } from '../../../ui/dialog/use-submit.js';
import { UserErrors } from '../../../ui/dialog/user-errors.js';
import { createTokenMutation } from '../access-query.js';
import { ScopeBoxes } from './scope-boxes.js';
import { inputOf, needsUser, EMPTY_REQUEST, type TokenRequest } from './token-request.js';
import styles from '../access.module.css';

const LIFETIMES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
  { value: '', label: 'does not expire' },
];

interface TokenFormProps {
  onMade: (secret: string) => void;
  onClose: () => void;
}

/** What a new token is to be. `onMade` gets its secret, which is told this once. */
export function TokenForm({ onMade, onClose }: TokenFormProps) {
  const [request, setRequest] = useState(EMPTY_REQUEST);
  const { mutateAsync } = useChange(createTokenMutation);
  const { isBusy, errors, onSubmit } = useSubmit(async () => {
    const { createApiToken } = await mutateAsync(inputOf(request));
    if (createApiToken.secret !== null) onMade(createApiToken.secret);
    return createApiToken.userErrors;
  });
  const change = (patch: Partial<TokenRequest>) => setRequest({ ...request, ...patch });
  return (
    <form className={styles.form} onSubmit={onSubmit}>
      <TextInput
        label="Name"
        value={request.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
        maxLength={100}
        required
        data-autofocus
      />
      <ScopeBoxes scopes={request.scopes} onChange={(scopes) => change({ scopes })} />
      {needsUser(request) && <UserInput user={request.user} onChange={(user) => change({ user })} />}
      <NativeSelect
        label="Valid for"
        value={request.days}
        data={LIFETIMES}
        onChange={(event) => change({ days: event.currentTarget.value })}
      />
      <UserErrors errors={errors} />
      <div className={styles.buttons}>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={isBusy} disabled={request.scopes.length === 0}>
          Create token
        </Button>
      </div>
    </form>
  );
}

function UserInput({ user, onChange }: { user: string; onChange: (user: string) => void }) {
  return (
    <TextInput
      label="User"
      description="Whose previews it asks for."
      placeholder="@alice:example.org"
      value={user}
      onChange={(event) => onChange(event.currentTarget.value)}
      maxLength={255}
      required
    />
  );
}
