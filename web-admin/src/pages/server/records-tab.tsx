import { Button, Progress, Stack, Tooltip } from '@mantine/core';
import '@mantine/core/styles/Progress.css';
import { useState } from 'react';

import { useBackend } from '../../api/backend-context.js';
import { send } from '../../api/send.js';
import { useChange } from '../../api/use-change.js';
import { graphql } from '../../gql/gql.js';
import { useNow } from '../../live/use-now.js';
import { ConfirmDialog } from '../../ui/dialog/dialog.js';
import { useAttempt, useTell } from '../../ui/dialog/use-tell.js';
import { Fields, Panel } from '../../ui/page.js';
import { EmptyState, StateBadge, ToneIcon } from '../../ui/state.js';
import { RowMenu } from '../../ui/table/data-table.js';
import { Copied, CopyButton, JsonView, RelativeTime, Snippet, UntrustedText } from '../../ui/text/text.js';
import { exactTime } from '../../ui/text/time-words.js';
import { KeyStateBadge } from '../keys/key-words.js';
import { deleteRecordsMutation, type RecordData, type ServerData } from './server-query.js';

/** Every stored record with its key, its lifetime and each signature checked. */
export function RecordsTab({ server }: { server: ServerData }) {
  const [isDeleting, setDeleting] = useState(false);
  const { mutateAsync } = useChange(deleteRecordsMutation);
  const tell = useTell();
  const { records } = server;
  if (records.length === 0)
    return (
      <EmptyState title="No record is stored">
        Diagnose shows whether the server answers; Refresh keys stores what it publishes.
      </EmptyState>
    );
  const run = async () => {
    const { userErrors } = (await mutateAsync({ ids: [server.id] })).deleteKeyRecords;
    if (userErrors.length === 0) tell('Deleted the records');
    return userErrors;
  };
  return (
    <Stack gap="sm">
      {records.map((record) => (
        <RecordPanel key={record.id} record={record} server={server} onDelete={() => setDeleting(true)} />
      ))}
      <ConfirmDialog
        opened={isDeleting}
        onClose={() => setDeleting(false)}
        verb="Delete"
        thing={`all key records of ${server.name}`}
        onConfirm={run}
      >
        <p>The next query of a peer fetches them again. The history of fetches and key events stays.</p>
      </ConfirmDialog>
    </Stack>
  );
}

interface RecordPanelProps {
  record: RecordData;
  server: ServerData;
  onDelete: () => void;
}

function RecordPanel({ record, server: { name, needsLook, alarms }, onDelete }: RecordPanelProps) {
  const { keyId, kind, state } = record;
  const isReplaced = alarms.some((alarm) => alarm.kind === 'KEY_REPLACED' && alarm.keyId === keyId);
  const proof = useLogProof(record.id, `${name}.${keyId}`);
  return (
    <Panel
      title={<Copied text={keyId} what="key ID" />}
      note={
        kind === 'OLD' ? (
          <StateBadge tone="idle">old key</StateBadge>
        ) : (
          <KeyStateBadge state={state} alarm={isReplaced ? 'key' : needsLook ? 'other' : null} />
        )
      }
      actions={
        <RowMenu
          label="Actions on this record"
          actions={[
            { label: 'Download proof', hint: 'Proves that the log contains it', onSelect: proof.download },
            { label: 'Delete all records…', danger: true, needs: 'deleteKeyRecords', onSelect: onDelete },
          ]}
        />
      }
    >
      <Stack gap="sm">
        {kind !== 'OLD' && <Lifetime record={record} />}
        <RecordFields record={record} />
        {proof.line !== null && <Snippet text={proof.line} what="line to check the proof" />}
        <RecordJson record={record} />
      </Stack>
    </Panel>
  );
}

/** Where now is between "added" and "valid until"; beyond the end it is full. */
function Lifetime({ record: { addedAt, validUntilMs, refetchAfter, state } }: { record: RecordData }) {
  const now = useNow();
  const from = Date.parse(addedAt);
  const share = validUntilMs <= from ? 1 : (now - from) / (validUntilMs - from);
  const percent = Math.round(Math.min(Math.max(share, 0), 1) * 100);
  const half = exactTime(Date.parse(refetchAfter)) ?? '';
  return (
    <Tooltip label={`After ${half} UTC, the half-way point, a query fetches it again`}>
      <Progress.Root size="sm" tabIndex={0}>
        <Progress.Section
          value={percent}
          color={state === 'FRESH' ? 'ok' : state === 'DUE' ? 'warn' : 'bad'}
          aria-label={`${percent} % of its lifetime is over`}
        />
      </Progress.Root>
    </Tooltip>
  );
}

function RecordFields({ record }: { record: RecordData }) {
  const { key, addedAt, refetchAfter, validUntilMs, expiredAt, signatures } = record;
  return (
    <Fields
      items={[
        [
          'Key',
          <>
            <UntrustedText text={key} max={60} mono /> <CopyButton text={key} what="key" />
          </>,
        ],
        ['Added', <RelativeTime key="" at={addedAt} />],
        ['Half-way point', <RelativeTime key="" at={refetchAfter} />],
        ['Valid until', <RelativeTime key="" at={validUntilMs} />],
        expiredAt === null ? null : ['Key expired', <RelativeTime key="" at={expiredAt} />],
        ['Signatures', <Signatures key="" signatures={signatures} />],
      ]}
    />
  );
}

/** Every signature of a record, checked. */
function Signatures({ signatures }: { signatures: RecordData['signatures'] }) {
  if (signatures.length === 0) return 'none';
  return (
    <ul aria-label="Signatures">
      {signatures.map(({ signer, keyId, valid, message }) => (
        <li key={`${signer} ${keyId}`}>
          <span role="img" aria-label={valid ? 'valid' : 'not valid'}>
            <ToneIcon tone={valid ? 'ok' : 'bad'} />
          </span>{' '}
          <UntrustedText text={signer} max={48} /> <UntrustedText text={keyId} max={36} mono />
          {!valid && ' not valid'}
          {!valid && message !== null && (
            <>
              : <UntrustedText text={message} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The record as its server published it. */
function RecordJson({ record: { published } }: { record: RecordData }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <Button variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Hide JSON' : 'Published JSON'}
      </Button>
      {isOpen && <JsonView value={published} what="published record" />}
    </div>
  );
}

const logProofQuery = graphql(`
  query LogProof($id: ID!) {
    log {
      verifierKey
      proof(id: $id)
    }
  }
`);

/** Saves what the log says of a record, or of the one an event came with; `line` then checks it without us. */
export function useLogProof(id: string, of: string): { download: () => void; line: string | null } {
  const [line, setLine] = useState<string | null>(null);
  const { basePath } = useBackend();
  const tell = useTell();
  const attempt = useAttempt();
  const download = async () => {
    const answer = await attempt(() => send(basePath, logProofQuery, { variables: { id } }));
    if (answer === null) return;
    const { log } = answer;
    const proof = log?.proof ?? null;
    if (proof === null || log === null) {
      tell('The log does not contain this record yet.');
      return;
    }
    const file = `${of.replaceAll(/[^\w.-]/g, '_')}.tlog-proof`;
    save(proof, file);
    setLine(`tlog check ${file} --key '${log.verifierKey}'`);
  };
  return { download: () => void download(), line };
}

function save(text: string, file: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = file;
  link.click();
  URL.revokeObjectURL(link.href);
}
