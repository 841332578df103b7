import { Checkbox } from '@mantine/core';

import type { TokenScope } from '../../../gql/graphql.js';
import { SCOPES } from '../scopes.js';
import styles from '../access.module.css';

interface ScopeBoxesProps {
  scopes: readonly TokenScope[];
  onChange: (scopes: readonly TokenScope[]) => void;
}

/** What a token may do, one box each. */
export function ScopeBoxes({ scopes, onChange }: ScopeBoxesProps) {
  return (
    <fieldset className={styles.scope}>
      <legend>Permissions</legend>
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
