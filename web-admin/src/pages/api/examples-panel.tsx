import { NativeSelect } from '@mantine/core';

import { Panel } from '../../ui/page/panel.js';
import { Snippet } from '../../ui/text/snippet.js';
import { choice } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { curlOf, EXAMPLES } from './examples.js';
import styles from './api.module.css';

const SHAPE = { show: choice(['curl', 'graphql'] as const, 'curl') };

/** Operations to copy, as they are or as curl lines to `address`. */
export function Examples({ address }: { address: string }) {
  const [{ show }, change] = useSearchParams(SHAPE);
  const isCurl = show === 'curl';
  return (
    <Panel
      title="Examples"
      actions={
        <NativeSelect
          aria-label="Show as"
          value={show}
          data={[
            { value: 'curl', label: 'curl' },
            { value: 'graphql', label: 'GraphQL' },
          ]}
          onChange={(event) => change({ show: SHAPE.show.parse(event.currentTarget.value) })}
        />
      }
    >
      <ul className={styles.examples}>
        {EXAMPLES.map((example) => (
          <li key={example.title}>
            <h3>{example.title}</h3>
            <p className={styles.quiet}>{example.sentence}</p>
            <Snippet
              text={isCurl ? curlOf(example, address) : example.text}
              what={`${isCurl ? 'curl line' : 'operation'}: ${example.title}`}
            />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
