import { useState } from 'react';

import { useChange } from '../../../api/use-change.js';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.js';
import { useTell } from '../../../ui/dialog/use-tell.js';
import { Fields } from '../../../ui/page/fields.js';
import { Panel } from '../../../ui/page/panel.js';
import { EmptyState } from '../../../ui/state/empty-state.js';
import { RowMenu } from '../../../ui/table/row-menu.js';
import { CopyButton } from '../../../ui/text/copy-button.js';
import { RelativeTime } from '../../../ui/text/relative-time.js';
import { UntrustedText } from '../../../ui/text/untrusted-text.js';
import { deleteRecordsMutation } from '../../keys/ticked/delete-records.js';
import { KeyStateBadge } from '../../keys/server-state.js';
import { Lifetime } from './lifetime.js';
import { LogProof } from './log-proof.js';
import { RecordJson } from './record-json.js';
import type { RecordData, ServerData } from '../server-query.js';
import { Signatures } from './signatures.js';
import styles from './records.module.css';

/** Every stored record with its key, its lifetime and each signature checked. */
export function RecordsTab({ server }: { server: ServerData }) {
  const [pendingDeletion, setPendingDeletion] = useState<RecordData | null>(null);
  const { nodes } = server.records;
  if (nodes.length === 0)
    return (
      <Panel>
        <EmptyState title="No record is stored">
          Diagnose shows whether the server can be asked; Refresh keys stores what it publishes.
        </EmptyState>
      </Panel>
    );
  return (
    <div className={styles.records}>
      {nodes.map((record) => (
        <RecordPanel
          key={record.id}
          record={record}
          serverName={server.name}
          alarm={alarmOf(record, server)}
          onDelete={() => setPendingDeletion(record)}
        />
      ))}
      <DeleteRecord
        record={pendingDeletion}
        serverName={server.name}
        onClose={() => setPendingDeletion(null)}
      />
    </div>
  );
}

function alarmOf({ keyId }: RecordData, { needsLook, alarms }: ServerData): RecordPanelProps['alarm'] {
  if (alarms.some((alarm) => alarm.kind === 'KEY_REPLACED' && alarm.keyId === keyId)) return 'key';
  return needsLook ? 'other' : null;
}

interface RecordPanelProps {
  record: RecordData;
  serverName: string;
  /** Whether this or another key of the server was replaced, and nobody has acknowledged it. */
  alarm: 'key' | 'other' | null;
  onDelete: () => void;
}

function RecordPanel({ record, serverName, alarm, onDelete }: RecordPanelProps) {
  const title = (
    <>
      <UntrustedText text={record.keyId} mono /> <CopyButton text={record.keyId} what="key ID" />
    </>
  );
  return (
    <Panel
      title={title}
      note={
        <>
          <KeyStateBadge state={record.state} alarm={alarm} /> {record.kind === 'OLD' && 'old key'}
        </>
      }
      actions={
        <RowMenu
          label="Actions on this record"
          actions={[{ label: 'Delete record…', danger: true, needs: 'deleteKeyRecords', onSelect: onDelete }]}
        />
      }
    >
      <div className={styles.record}>
        <Lifetime record={record} />
        <RecordFields record={record} />
        <LogProof id={record.id} of={`${serverName}.${record.keyId}`} />
        <RecordJson record={record} />
      </div>
    </Panel>
  );
}

function RecordFields({ record }: { record: RecordData }) {
  const { key, addedAt, refetchAfter, validUntilMs, expiredAt, signatures } = record;
  return (
    <Fields
      items={[
        [
          'Key',
          <span key="key" className={styles.key}>
            <UntrustedText text={key} mono /> <CopyButton text={key} what="key" />
          </span>,
        ],
        ['Added', <RelativeTime key="added" at={addedAt} />],
        ['Half-way point', <RelativeTime key="half" at={refetchAfter} />],
        ['Valid until', <RelativeTime key="until" at={validUntilMs} />],
        expiredAt === null ? null : ['Key expired', <RelativeTime key="expired" at={expiredAt} />],
        ['Signatures', <Signatures key="signatures" signatures={signatures} />],
      ]}
    />
  );
}

interface DeleteRecordProps {
  record: RecordData | null;
  serverName: string;
  onClose: () => void;
}

function DeleteRecord({ record, serverName, onClose }: DeleteRecordProps) {
  const { mutateAsync } = useChange(deleteRecordsMutation);
  const tell = useTell();
  const run = async () => {
    const { deleteKeyRecords: payload } = await mutateAsync({ ids: [record?.id ?? ''] });
    if (payload.userErrors.length === 0) tell('Deleted the record');
    return payload.userErrors;
  };
  return (
    <ConfirmDialog
      opened={record !== null}
      onClose={onClose}
      verb="Delete"
      thing={`the record ${record?.keyId ?? ''} of ${serverName}`}
      count={1}
      onConfirm={run}
    >
      <p>The next query of a peer fetches it anew. The history of fetches and key events stays.</p>
    </ConfirmDialog>
  );
}
