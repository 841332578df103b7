import { useLocation } from 'wouter';

import { useChange } from '../../api/use-change.js';
import { graphql } from '../../gql/gql.js';
import { useAttempt } from '../../ui/dialog/use-attempt.js';
import { useTell } from '../../ui/dialog/use-tell.js';

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

/** The page of one run. */
export function runHref(id: string): string {
  return `/jobs?run=${encodeURIComponent(id)}`;
}

/** Starts a job now; gives back the id of its run, or of the one under way. */
export function useStartJob(): (name: string, title: string) => Promise<string | null> {
  const { mutateAsync } = useChange(runJobMutation);
  const attempt = useAttempt();
  const tell = useTell();
  return async (name, title) => {
    const payload = await attempt(async () => (await mutateAsync({ name })).runJob);
    if (payload?.userErrors.length === 0) tell(`${title} has started`);
    return payload?.run?.id ?? null;
  };
}

/** Starts a job now and goes to its run; when it runs already, to that one. */
export function useRunJob(): (name: string, title: string) => Promise<void> {
  const start = useStartJob();
  const [, navigate] = useLocation();
  return async (name, title) => {
    const id = await start(name, title);
    if (id !== null) navigate(runHref(id));
  };
}

/** Asks a run to end. */
export function useCancelRun(): (id: string) => Promise<void> {
  const { mutateAsync } = useChange(cancelRunMutation);
  const attempt = useAttempt();
  const tell = useTell();
  return async (id) => {
    const payload = await attempt(async () => (await mutateAsync({ id })).cancelJobRun);
    if (payload?.userErrors.length === 0) tell('The run ends after its present batch');
  };
}
