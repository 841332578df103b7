import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { useChange } from '../../api/use-change.js';
import { graphql } from '../../gql/gql.js';
import { useCan } from '../../session/viewer-context.js';
import { Dialog, DialogForm } from '../../ui/dialog/dialog.js';
import { useAttempt, useTell } from '../../ui/dialog/use-tell.js';
import { runHref } from '../hrefs.js';
import type { JobData } from './jobs-query.js';

const runJobMutation = graphql(`
  mutation RunJob($name: String!) {
    runJob(name: $name) {
      userErrors {
        code
        message
      }
      run {
        id
      }
    }
  }
`);

const cancelRunMutation = graphql(`
  mutation CancelJobRun($id: ID!) {
    cancelJobRun(id: $id) {
      userErrors {
        code
        message
      }
      run {
        id
      }
    }
  }
`);

const setPausedMutation = graphql(`
  mutation SetJobPaused($name: String!, $paused: Boolean!, $reason: String) {
    setJobPaused(name: $name, paused: $paused, reason: $reason) {
      userErrors {
        code
        message
      }
      job {
        id
        state
      }
    }
  }
`);

/** Starts a job now and goes to its run; when it runs already, to that one. */
export function useRunJob(): (name: string, title: string) => Promise<void> {
  const { mutateAsync } = useChange(runJobMutation);
  const attempt = useAttempt();
  const tell = useTell();
  const [, navigate] = useLocation();
  return async (name, title) => {
    const payload = await attempt(async () => (await mutateAsync({ name })).runJob);
    if (payload?.userErrors.length === 0) tell(`${title} has started`);
    if (payload?.run) navigate(runHref(payload.run.id));
  };
}

/** Asks a run to end. */
export function useCancelRun(): (id: string) => Promise<void> {
  const { mutateAsync } = useChange(cancelRunMutation);
  const attempt = useAttempt();
  const tell = useTell();
  return async (id) => {
    const payload = await attempt(async () => (await mutateAsync({ id })).cancelJobRun);
    if (payload?.userErrors.length === 0) tell('The run ends after its current batch');
  };
}

/** Buttons of a job, as far as the viewer may use them. */
export function JobActions({ job }: { job: JobData }) {
  const can = useCan();
  const runJob = useRunJob();
  const cancel = useCancelRun();
  const { mutateAsync } = useChange(setPausedMutation);
  const attempt = useAttempt();
  const tell = useTell();
  const [isPausing, setPausing] = useState(false);
  const { name, title, state, everyMs, canRunNow, lastRun } = job;
  const setPaused = async (paused: boolean, reason: string) => {
    const { userErrors } = (await mutateAsync({ name, paused, reason })).setJobPaused;
    if (userErrors.length === 0) tell(`${title} ${paused ? 'is paused' : 'is resumed'}`);
    return userErrors;
  };
  const resume = () => attempt(async () => ({ userErrors: await setPaused(false, '') }));
  return (
    <>
      {lastRun?.outcome === 'RUNNING' && can('cancelJobRun') && (
        <Button onClick={() => void cancel(lastRun.id)}>Cancel</Button>
      )}
      {everyMs !== null && can('setJobPaused') && (
        <Button onClick={() => (state === 'PAUSED' ? void resume() : setPausing(true))}>
          {state === 'PAUSED' ? 'Resume' : 'Pause…'}
        </Button>
      )}
      {canRunNow && can('runJob') && (
        <Button disabled={state === 'RUNNING'} onClick={() => void runJob(name, title)}>
          Run now
        </Button>
      )}
      <Dialog opened={isPausing} onClose={() => setPausing(false)} title={`Pause ${title}?`}>
        <PauseForm onPause={(reason) => setPaused(true, reason)} onClose={() => setPausing(false)} />
      </Dialog>
    </>
  );
}

interface PauseFormProps {
  onPause: (reason: string) => ReturnType<Parameters<typeof DialogForm>[0]['onRun']>;
  onClose: () => void;
}

function PauseForm({ onPause, onClose }: PauseFormProps) {
  const [reason, setReason] = useState('');
  return (
    <DialogForm verb="Pause" cancel="Keep it running" onClose={onClose} onRun={() => onPause(reason)}>
      <p>
        No instance starts this job until it is resumed. A run in progress finishes, and you can still run it
        by hand.
      </p>
      <TextInput
        label="Reason"
        description="Shown to everyone on this page."
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        maxLength={500}
        data-autofocus
      />
    </DialogForm>
  );
}
