import { Button, Checkbox, Modal, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';

import { toFailure } from '../../api/failure.js';
import { useChange } from '../../api/use-change.js';
import type { TokenScope } from '../../gql/graphql.js';
import { useHold } from '../../live/live-context.js';
import { UserErrors } from '../../ui/dialog/user-errors.js';
import type { UserErrorLine } from '../../ui/dialog/user-errors.js';
import { Snippet } from '../../ui/text/snippet.js';
import { createTokenMutation } from './access-query.js';
import { SCOPES } from './scopes.js';
import styles from './access.module.css';

const LIFETIMES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
  { value: '', label: 'does not expire' },
];

/** Makes an API token; the secret is shown once. */
export function TokenDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  useHold(opened);
  return (
    <Modal opened={opened} onClose={onClose} title="New API token" size="lg">
      {opened && <Steps onClose={onClose} />}
    </Modal>
  );
}

function Steps({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>(null);
  if (secret === null) return <TokenForm onMade={setSecret} onClose={onClose} />;
  return (
    <div className={styles.form}>
      <p role="status">
        This is the only time the token is shown. Store it where you keep passwords, then close this window.
      </p>
      <Snippet text={secret} what="API token" />
      <div className={styles.buttons}>
        <Button variant="filled" onClick={onClose}>
          I have stored it
        </Button>
      </div>
    </div>
  );
}

interface Wish {
  name: string;
  scopes: readonly TokenScope[];
  user: string;
  days: string;
}

const NO_WISH: Wish = { name: '', scopes: ['ADMIN_READ'], user: '', days: '90' };

function TokenForm({ onMade, onClose }: { onMade: (secret: string) => void; onClose: () => void }) {
  const [wish, setWish] = useState(NO_WISH);
  const [errors, setErrors] = useState<readonly UserErrorLine[]>([]);
  const { mutateAsync, isPending } = useChange(createTokenMutation);
  const change = (patch: Partial<Wish>) => setWish({ ...wish, ...patch });
  const needsUser = wish.scopes.includes('PREVIEW');
  const run = async () => {
    const { name, scopes, user, days } = wish;
    try {
      const { createApiToken } = await mutateAsync({
        input: {
          name,
          scopes: [...scopes],
          user: needsUser ? user.trim() : null,
          expiresInDays: days === '' ? null : Number(days),
        },
      });
      if (createApiToken.secret === null) setErrors(createApiToken.userErrors);
      else onMade(createApiToken.secret);
    } catch (error) {
      setErrors([toFailure(error)]);
    }
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <TextInput
        label="Name"
        description="What it is for, so that you know it again."
        value={wish.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
        maxLength={100}
        required
        data-autofocus
      />
      <ScopeBoxes scopes={wish.scopes} onChange={(scopes) => change({ scopes })} />
      {needsUser && (
        <TextInput
          label="User"
          description="Whose previews it asks for."
          placeholder="@alice:example.org"
          value={wish.user}
          onChange={(event) => change({ user: event.currentTarget.value })}
          maxLength={255}
          required
        />
      )}
      <NativeSelect
        label="Valid for"
        value={wish.days}
        data={LIFETIMES}
        onChange={(event) => change({ days: event.currentTarget.value })}
      />
      <UserErrors errors={errors} />
      <div className={styles.buttons}>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={isPending} disabled={wish.scopes.length === 0}>
          Make token
        </Button>
      </div>
    </form>
  );
}

interface ScopeBoxesProps {
  scopes: readonly TokenScope[];
  onChange: (scopes: readonly TokenScope[]) => void;
}

function ScopeBoxes({ scopes, onChange }: ScopeBoxesProps) {
  return (
    <fieldset className={styles.scope}>
      <legend>What it may do</legend>
      {SCOPES.map(({ scope, label, words }) => (
        <Checkbox
          key={scope}
          label={label}
          description={words}
          checked={scopes.includes(scope)}
          onChange={(event) =>
            onChange(
              event.currentTarget.checked ? [...scopes, scope] : scopes.filter((known) => known !== scope),
            )
          }
        />
      ))}
    </fieldset>
  );
}
