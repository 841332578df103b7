import { Button } from '@mantine/core';
import { useState } from 'react';

import { useBackend } from '../../../api/backend-context.js';
import { toRequestError } from '../../../api/request-error.js';
import { send } from '../../../api/send.js';
import { graphql } from '../../../gql/gql.js';
import { useTell } from '../../../ui/dialog/use-tell.js';
import { Snippet } from '../../../ui/text/snippet.js';
import styles from './records.module.css';

const logProofQuery = graphql(`
  query LogProof($id: ID!) {
    node(id: $id) {
      id
      ... on KeyRecord {
        logProof
      }
      ... on KeyEvent {
        logProof
      }
    }
    log {
      verifierKey
    }
  }
`);

/** What the log says of a record, or of the one an event came with, as a file that can be checked without us. */
export function LogProof({ id, of }: { id: string; of: string }) {
  const [said, setSaid] = useState<{ text: string; isLine: boolean } | null>(null);
  const { basePath } = useBackend();
  const [isRunning, setRunning] = useState(false);
  const tell = useTell();
  const fetchProof = async () => {
    const { node, log } = await send(basePath, logProofQuery, { variables: { id } });
    const proof = node !== null && 'logProof' in node ? node.logProof : null;
    if (proof === null || log === null) {
      setSaid({ text: 'The log does not hold this record, or not yet.', isLine: false });
      return;
    }
    const file = `${of.replaceAll(/[^\w.-]/g, '_')}.tlog-proof`;
    save(proof, file);
    setSaid({ text: `tlog check ${file} --key '${log.verifierKey}'`, isLine: true });
  };
  const download = async () => {
    setRunning(true);
    await fetchProof().catch((error: unknown) => tell(toRequestError(error).message, { failed: true }));
    setRunning(false);
  };
  return (
    <div className={styles.proof}>
      <Button size="compact-sm" loading={isRunning} onClick={() => void download()}>
        Download proof
      </Button>
      {said !== null &&
        (said.isLine ? <Snippet text={said.text} what="line to check the proof" /> : <p>{said.text}</p>)}
    </div>
  );
}

function save(text: string, file: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = file;
  link.click();
  URL.revokeObjectURL(link.href);
}
