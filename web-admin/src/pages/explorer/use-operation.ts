import { Kind, OperationTypeNode, parse, type OperationDefinitionNode } from 'graphql';
import { useEffect, useRef, useState } from 'react';

import { useBackend } from '../../api/backend-context.js';
import { toRequestError } from '../../api/request-error.js';
import { useRefreshViews } from '../../api/use-refresh-views.js';
import { useAnnounce } from '../../live/announcer.js';
import { isRecord } from '../../api/is-record.js';
import { sendText, type FreeAnswer } from './send-text.js';

/** What came of the last run; nothing of it is kept when the page is left. */
export type Outcome = { answer: FreeAnswer } | { problem: string } | null;

/** Runs operations, one at a time. */
export function useOperation() {
  const { basePath } = useBackend();
  const announce = useAnnounce();
  const refreshViews = useRefreshViews();
  const [outcome, setOutcome] = useState<Outcome>(null);
  const [isBusy, setIsBusy] = useState(false);
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);
  const run = async (text: string, variablesText: string) => {
    const variables = readVariables(variablesText);
    if (variables === null) return setOutcome({ problem: 'The variables are not a JSON object' });
    current.current?.abort();
    const gone = new AbortController();
    current.current = gone;
    setIsBusy(true);
    setOutcome(null);
    try {
      const operation = { query: text, variables, operationName: onlyName(text) };
      const answer = await sendText(basePath, operation, gone.signal);
      setOutcome({ answer });
      announce(`Answered ${answer.status}`);
      if (changesThings(text)) await refreshViews();
    } catch (error) {
      if (!gone.signal.aborted) setOutcome({ problem: toRequestError(error).message });
    } finally {
      if (current.current === gone) setIsBusy(false);
    }
  };
  const cancel = () => {
    current.current?.abort();
    setIsBusy(false);
  };
  return { outcome, isBusy, run, cancel };
}

function readVariables(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function operationsOf(text: string): OperationDefinitionNode[] {
  try {
    return parse(text).definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  } catch {
    return [];
  }
}

/** The server runs the only one without being told; of several, the first. */
function onlyName(text: string): string | null {
  return operationsOf(text)[0]?.name?.value ?? null;
}

/** Whether it holds a mutation. */
export function changesThings(text: string): boolean {
  return operationsOf(text).some(({ operation }) => operation === OperationTypeNode.MUTATION);
}
