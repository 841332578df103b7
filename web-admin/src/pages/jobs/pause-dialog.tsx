import { Button, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';

import { toRequestError } from '../../api/request-error.js';
import { useChange } from '../../api/use-change.js';
import { graphql } from '../../gql/gql.js';
import { useHold } from '../../live/live-context.js';
import { useSubmit } from '../../ui/dialog/use-submit.js';
import { useTell } from '../../ui/dialog/use-tell.js';
import { UserErrors, type UserErrorLine } from '../../ui/dialog/user-errors.js';
import type { JobData } from './jobs-query.js';
import styles from '../../ui/dialog/dialog.module.css';

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

/** Pauses or resumes a job; resolves to what was wrong with that. */
export function useSetPaused(): (
  job: Pick<JobData, 'name' | 'title'>,
  paused: boolean,
  reason: string,
) => Promise<readonly UserErrorLine[]> {
  const { mutateAsync } = useChange(setPausedMutation);
  const tell = useTell();
  return async ({ name, title }, paused, reason) => {
    try {
      const { setJobPaused } = await mutateAsync({ name, paused, reason });
      if (setJobPaused.userErrors.length === 0) tell(`${title} ${paused ? 'is paused' : 'runs again'}`);
      return setJobPaused.userErrors;
    } catch (error) {
      return [toRequestError(error)];
    }
  };
}

/** Asks why a job is to rest; the others read it. */
export function PauseDialog({ job, onClose }: { job: JobData | null; onClose: () => void }) {
  useHold(job !== null);
  return (
    <Modal opened={job !== null} onClose={onClose} title={`Pause ${job?.title ?? 'the job'}?`}>
      {job !== null && <PauseForm job={job} onClose={onClose} />}
    </Modal>
  );
}

function PauseForm({ job, onClose }: { job: JobData; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const setPaused = useSetPaused();
  const { isBusy, errors, onSubmit } = useSubmit(async () => {
    const found = await setPaused(job, true, reason);
    if (found.length === 0) onClose();
    return found;
  });
  return (
    <form className={styles.body} onSubmit={onSubmit}>
      <p>
        No instance begins another run until somebody resumes it. A run under way ends as usual, and it can
        still be started by hand.
      </p>
      <TextInput
        label="Reason"
        description="Everybody who looks at this page reads it."
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        maxLength={500}
        data-autofocus
      />
      <UserErrors errors={errors} />
      <div className={styles.actions}>
        <Button onClick={onClose}>Keep it running</Button>
        <Button type="submit" variant="filled" loading={isBusy}>
          Pause
        </Button>
      </div>
    </form>
  );
}
