import { json } from '@codemirror/lang-json';
import { Button, NativeSelect } from '@mantine/core';
import { graphql as graphqlExtensions } from 'cm6-graphql';
import type { GraphQLSchema } from 'graphql';
import { useMemo, useState } from 'react';

import { useViewer } from '../../session/viewer-context.js';
import { JsonView } from '../../ui/json/json-view.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { ErrorState } from '../../ui/state/error-state.js';
import { SkeletonLines } from '../../ui/state/section.js';
import { EXAMPLES } from '../api/examples.js';
import { CodeEditor } from './code-editor.js';
import { SchemaDocs } from './schema-docs.js';
import { changesThings, useOperation, type Outcome } from './use-operation.js';
import { useSchema } from './use-schema.js';
import styles from './explorer.module.css';

/** Operations by hand, with the rights of the session. Nothing that is written here is kept. */
export function Page() {
  const { sendsText } = useViewer();
  const { data: schema, error, refetch } = useSchema();
  return (
    <>
      <PageHeader
        title="Explorer"
        description="Operations of the API with the rights of this session. Nothing written here is kept."
        back={{ href: '/api', label: 'API' }}
      />
      {!sendsText && (
        <Panel>
          <EmptyState title="This session may only read the schema">
            admin.graphql.ad_hoc says who may send operations by hand.
          </EmptyState>
        </Panel>
      )}
      {schema === undefined ? (
        <Panel>
          {error === null ? <SkeletonLines /> : <ErrorState error={error} onRetry={() => void refetch()} />}
        </Panel>
      ) : (
        <Explorer schema={schema} sendsText={sendsText} />
      )}
    </>
  );
}

function Explorer({ schema, sendsText }: { schema: GraphQLSchema; sendsText: boolean }) {
  const [typeName, setTypeName] = useState<string | null>(null);
  const language = useMemo(
    () =>
      graphqlExtensions(schema, {
        onShowInDocs: (_field, type, parentType) => setTypeName(named(parentType ?? type)),
      }),
    [schema],
  );
  return (
    <div className={styles.parts} data-docs-only={!sendsText || undefined}>
      {sendsText && <Operation language={language} />}
      <Panel title="Schema">
        <SchemaDocs schema={schema} typeName={typeName} onType={setTypeName} />
      </Panel>
    </div>
  );
}

const JSON_LANGUAGE = json();

function Operation({ language }: { language: ReturnType<typeof graphqlExtensions> }) {
  const [example, setExample] = useState(0);
  const begin = EXAMPLES[example];
  const [text, setText] = useState(begin?.text ?? '');
  const [variables, setVariables] = useState(JSON.stringify(begin?.variables ?? {}, null, 2));
  const { outcome, isBusy, run, cancel } = useOperation();
  const onRun = () => void run(text, variables);
  const choose = (index: number) => {
    setExample(index);
    setText(EXAMPLES[index]?.text ?? '');
    setVariables(JSON.stringify(EXAMPLES[index]?.variables ?? {}, null, 2));
  };
  return (
    <div className={styles.column}>
      <Panel
        title="Operation"
        flush
        actions={
          <>
            <NativeSelect
              aria-label="Begin with"
              value={example}
              data={EXAMPLES.map(({ title }, index) => ({ value: String(index), label: title }))}
              onChange={(event) => choose(Number(event.currentTarget.value))}
            />
            <Button variant="filled" data-tip="Ctrl Enter" onClick={isBusy ? cancel : onRun}>
              {isBusy ? 'Cancel' : 'Run'}
            </Button>
          </>
        }
      >
        <div className={styles.operation}>
          <CodeEditor
            key={example}
            label="Operation"
            text={text}
            onText={setText}
            language={language}
            onRun={onRun}
          />
        </div>
        <h3 className={styles.label}>Variables</h3>
        <div className={styles.variables}>
          <CodeEditor
            key={example}
            label="Variables"
            text={variables}
            onText={setVariables}
            language={JSON_LANGUAGE}
            onRun={onRun}
          />
        </div>
        {changesThings(text) && (
          <p className={styles.warning}>
            A mutation acts at once, without the questions that the pages ask. Audit names you.
          </p>
        )}
      </Panel>
      <Answer outcome={outcome} isBusy={isBusy} />
    </div>
  );
}

function Answer({ outcome, isBusy }: { outcome: Outcome; isBusy: boolean }) {
  if (isBusy)
    return (
      <Panel title="Answer">
        <SkeletonLines count={4} />
      </Panel>
    );
  if (outcome === null) return null;
  if ('problem' in outcome)
    return (
      <Panel title="Answer">
        <p role="alert">{outcome.problem}</p>
      </Panel>
    );
  const { status, ms, body } = outcome.answer;
  return (
    <Panel title="Answer" note={`status ${status}, ${Math.round(ms)} ms`}>
      <JsonView value={body} what="answer" openTo={5} />
    </Panel>
  );
}

/** `[Server!]!` → `Server`. */
function named(type: string | undefined): string | null {
  return type?.replace(/[[\]!]/g, '') ?? null;
}
