import { useCallback } from 'react';
import { useLocation } from 'wouter';

import { toFailure } from '../../api/failure.js';
import { useChange } from '../../api/use-change.js';
import { graphql } from '../../gql/gql.js';
import { useTell } from '../../ui/dialog/use-tell.js';

const runJobMutation = graphql(`
  mutation RunJob($input: RunJobInput!) {
    runJob(input: $input) {
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
  mutation CancelJobRun($input: CancelJobRunInput!) {
    cancelJobRun(input: $input) {
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

/** The page of one run. */
export function runHref(id: string): string {
  return `/jobs/runs/${encodeURIComponent(id)}`;
}

/** Starts a job now and goes to its run; when it runs already, to that one. */
export function useRunJob(): (name: string, title: string) => Promise<void> {
  const { mutateAsync } = useChange(runJobMutation);
  const [, navigate] = useLocation();
  const tell = useTell();
  return useCallback(
    async (name, title) => {
      try {
        const { runJob } = await mutateAsync({ input: { name } });
        const problem = runJob.userErrors[0];
        tell(problem === undefined ? `${title} has started` : problem.message, {
          failed: problem !== undefined,
        });
        if (runJob.run !== null) navigate(runHref(runJob.run.id));
      } catch (error) {
        tell(toFailure(error).message, { failed: true });
      }
    },
    [mutateAsync, navigate, tell],
  );
}

/** Asks a run to end. */
export function useCancelRun(): (id: string) => Promise<void> {
  const { mutateAsync } = useChange(cancelRunMutation);
  const tell = useTell();
  return useCallback(
    async (id) => {
      try {
        const { cancelJobRun } = await mutateAsync({ input: { id } });
        const problem = cancelJobRun.userErrors[0];
        tell(problem?.message ?? 'The run ends after its present batch', { failed: problem !== undefined });
      } catch (error) {
        tell(toFailure(error).message, { failed: true });
      }
    },
    [mutateAsync, tell],
  );
}
