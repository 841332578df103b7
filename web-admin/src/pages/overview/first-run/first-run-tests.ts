import { useCallback } from 'react';

import { useBackend } from '../../../api/backend-context.js';
import { toRequestError } from '../../../api/request-error.js';
import { send } from '../../../api/send.js';
import { useChange } from '../../../api/use-change.js';
import { graphql } from '../../../gql/gql.js';
import { useSession } from '../../../session/session-context.js';
import type { FirstRunStep } from './first-run-steps.js';
import { foreignRecord } from './published-keys.js';

const diagnoseSelf = graphql(`
  mutation FirstRunDiagnose($keyId: String, $serverName: String!) {
    diagnoseServer(keyId: $keyId, serverName: $serverName) {
      userErrors {
        message
      }
      ok
      published
      steps {
        ...TraceStep
      }
    }
  }
`);

const keysThatSign = graphql(`
  query FirstRunKeys {
    signingKeys {
      id
      keyId
      publicKey
      active
    }
  }
`);

const trySite = graphql(`
  mutation FirstRunTry(
    $acceptLanguage: [String!]
    $ignoreCaches: Boolean! = false
    $of: ID
    $store: Boolean! = false
    $ts: SafeInt
    $url: String!
  ) {
    tryPreview(
      acceptLanguage: $acceptLanguage
      ignoreCaches: $ignoreCaches
      of: $of
      store: $store
      ts: $ts
      url: $url
    ) {
      userErrors {
        message
      }
      trace {
        status
        steps {
          ...TraceStep
        }
      }
    }
  }
`);

const TEST_PAGE = 'https://example.org/';

/** How a test ended; `problem` null = it works. */
export interface TestOutcome {
  problem: string | null;
}

interface StepLike {
  status: string;
  title: string;
  message: string | null;
  advice: string | null;
}

function firstFailure(steps: readonly StepLike[]): string | null {
  const failed = steps.find(({ status }) => status === 'FAILED');
  if (failed === undefined) return null;
  const what =
    failed.message === null ? failed.title : `${failed.title}: ${failed.message.replace(/\.$/, '')}`;
  return failed.advice === null ? `${what}.` : `${what}. ${failed.advice}`;
}

/** Runs the test of a step; never throws. */
export function useFirstRunTest(): (id: FirstRunStep['id']) => Promise<TestOutcome> {
  const { serverName } = useSession();
  const { basePath } = useBackend();
  const { mutateAsync: diagnose } = useChange(diagnoseSelf);
  const { mutateAsync: tryPreview } = useChange(trySite);
  return useCallback(
    async (id) => {
      try {
        if (id === 'preview') {
          const { tryPreview: payload } = await tryPreview({ url: TEST_PAGE, ignoreCaches: true });
          if (payload.userErrors[0] !== undefined) return { problem: payload.userErrors[0].message };
          if (payload.trace?.status === 200) return { problem: null };
          return { problem: firstFailure(payload.trace?.steps ?? []) ?? 'No preview came of it.' };
        }
        const { diagnoseServer: payload } = await diagnose({ serverName });
        if (payload.userErrors[0] !== undefined) return { problem: payload.userErrors[0].message };
        if (payload.ok) {
          if (id !== 'keys') return { problem: null };
          // A record with right signatures may be that of whoever else answers under this name.
          const { signingKeys } = await send(basePath, keysThatSign, { variables: {} });
          return { problem: foreignRecord(payload.published, signingKeys) };
        }
        return { problem: firstFailure(payload.steps) ?? 'The keys could not be read.' };
      } catch (error) {
        return { problem: toRequestError(error).message };
      }
    },
    [basePath, serverName, diagnose, tryPreview],
  );
}
