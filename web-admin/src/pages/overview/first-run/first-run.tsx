import { Button, Checkbox } from '@mantine/core';
import { useState } from 'react';

import { useSession } from '../../../session/session-context.js';
import { useCan, useCommand } from '../../../session/viewer-context.js';
import { Panel } from '../../../ui/page/panel.js';
import { ToneIcon } from '../../../ui/state/state-badge.js';
import { Snippet } from '../../../ui/text/snippet.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import { FIRST_RUN_STEPS, type FirstRunStep } from './first-run-steps.js';
import { useFirstRun } from './first-run-state.js';
import { useFirstRunTest } from './first-run-tests.js';
import styles from './first-run.module.css';
import { ProxyLines } from './proxy-lines.js';

/** Five steps to a working service, each with its test; gone once all are done or when hidden. */
export function FirstRun() {
  const { isHidden, done, setDone, hide } = useFirstRun();
  const can = useCan();
  const left = FIRST_RUN_STEPS.filter(({ id }) => !done.includes(id)).length;
  if (isHidden || left === 0 || !can('diagnoseServer')) return null;
  return (
    <Panel
      title="First steps"
      note={`${FIRST_RUN_STEPS.length - left} of ${FIRST_RUN_STEPS.length} done`}
      actions={
        <Button variant="subtle" onClick={hide}>
          Hide
        </Button>
      }
      flush
    >
      <ol className={styles.steps}>
        {FIRST_RUN_STEPS.map((step) => (
          <Step
            key={step.id}
            step={step}
            isDone={done.includes(step.id)}
            onDone={(isDone) => setDone(step.id, isDone)}
          />
        ))}
      </ol>
    </Panel>
  );
}

interface StepProps {
  step: FirstRunStep;
  isDone: boolean;
  onDone: (isDone: boolean) => void;
}

function Step({ step, isDone, onDone }: StepProps) {
  const test = useFirstRunTest();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const run = async () => {
    setBusy(true);
    const outcome = await test(step.id);
    setBusy(false);
    setProblem(outcome.problem);
    onDone(outcome.problem === null);
  };
  const showsLine = !isDone && (problem !== null || !step.isTestable);
  return (
    <li className={styles.step}>
      <span className={styles.icon}>
        <ToneIcon tone={isDone ? 'ok' : problem === null ? 'idle' : 'bad'} size={14} />
      </span>
      <div className={styles.words}>
        <p className={styles.title}>{step.title}</p>
        <p className={styles.sentence}>{step.sentence}</p>
        {problem !== null && (
          <p className={styles.problem} role="alert">
            <UntrustedText text={problem} />
          </p>
        )}
        {showsLine && <Line step={step} />}
      </div>
      {step.isTestable ? (
        <Button loading={isBusy} onClick={() => void run()} aria-label={`Test: ${step.title}`}>
          {isDone ? 'Again' : 'Test'}
        </Button>
      ) : (
        <Checkbox label="Done" checked={isDone} onChange={(event) => onDone(event.currentTarget.checked)} />
      )}
    </li>
  );
}

function Line({ step: { line } }: { step: FirstRunStep }) {
  const { serverName } = useSession();
  const command = useCommand();
  if (line === null) return <ProxyLines />;
  return <Snippet text={line({ serverName, command })} what="command" />;
}
