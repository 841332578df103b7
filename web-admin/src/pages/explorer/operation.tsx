import { json } from '@codemirror/lang-json';
import type { Extension } from '@codemirror/state';
import { Button, NativeSelect } from '@mantine/core';
import { useState } from 'react';

import { JsonView } from '../../ui/json/json-view.js';
import { Panel } from '../../ui/page/panel.js';
import { SkeletonLines } from '../../ui/state/section.js';
import { EXAMPLES } from '../api/examples.js';
import { CodeEditor } from './code-editor.js';
import { changesThings, useOperation, type Outcome } from './use-operation.js';
import styles from './explorer.module.css';

const JSON_LANGUAGE = json();

/** An operation with its variables, and its answer. */
export function Operation({ language }: { language: Extension }) {
  const texts = useTexts();
  const { example, choose, text, variables } = texts;
  const { outcome, isBusy, run, cancel } = useOperation();
  const onRun = () => void run(text, variables);
  const button = (
    <Button variant="filled" data-tip="Ctrl Enter" onClick={isBusy ? cancel : onRun}>
      {isBusy ? 'Cancel' : 'Run'}
    </Button>
  );
  return (
    <div className={styles.column}>
      <Panel
        title="Operation"
        flush
        actions={
          <>
            <ExampleSelect example={example} onChoose={choose} />
            {button}
          </>
        }
      >
        <Editors texts={texts} language={language} onRun={onRun} />
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

interface EditorsProps {
  texts: ReturnType<typeof useTexts>;
  language: Extension;
  onRun: () => void;
}

function Editors({ texts, language, onRun }: EditorsProps) {
  const { example, text, setText, variables, setVariables } = texts;
  return (
    <>
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
    </>
  );
}

function ExampleSelect({ example, onChoose }: { example: number; onChoose: (index: number) => void }) {
  return (
    <NativeSelect
      aria-label="Begin with"
      value={example}
      data={EXAMPLES.map(({ title }, index) => ({ value: String(index), label: title }))}
      onChange={(event) => onChoose(Number(event.currentTarget.value))}
    />
  );
}

/** What is in the editors; another example replaces it. */
function useTexts() {
  const [example, setExample] = useState(0);
  const [text, setText] = useState(textOf(0));
  const [variables, setVariables] = useState(variablesOf(0));
  const choose = (index: number) => {
    setExample(index);
    setText(textOf(index));
    setVariables(variablesOf(index));
  };
  return { example, choose, text, setText, variables, setVariables };
}

function textOf(example: number): string {
  return EXAMPLES[example]?.text ?? '';
}

function variablesOf(example: number): string {
  return JSON.stringify(EXAMPLES[example]?.variables ?? {}, null, 2);
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
