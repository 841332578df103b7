import { Link } from 'wouter';

import type { Column } from '../../ui/table/table-types.js';
import { counted } from '../../ui/text/counted.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import type { RuleData } from './watches-query.js';

function ServerLink({ name }: { name: string }) {
  if (name === '*') return <>all servers</>;
  return (
    <Link href={`/keys/${encodeURIComponent(name)}`}>
      <UntrustedText text={name} />
    </Link>
  );
}

const SERVER: Column<RuleData> = {
  id: 'name',
  title: 'Server',
  isMain: true,
  cell: ({ name }) => <ServerLink name={name} />,
};

const SOURCE: Column<RuleData> = {
  id: 'source',
  title: 'Set by',
  width: '240px',
  cell: ({ createdBy, createdAt }) =>
    createdBy === null ? (
      'configuration'
    ) : (
      <>
        <UntrustedText text={createdBy} max={40} /> <RelativeTime at={createdAt} />
      </>
    ),
};

/** What a watch tells, in words. */
export function toldBy({ webhook, program }: RuleData): string {
  return [webhook === null ? '' : `webhook ${webhook}`, program === null ? '' : `command ${program}`]
    .filter((word) => word !== '')
    .join(', ');
}

export const WATCH_COLUMNS: readonly Column<RuleData>[] = [
  SERVER,
  { id: 'told', title: 'Tells', width: '280px', cell: toldBy },
  SOURCE,
];

export const PIN_COLUMNS: readonly Column<RuleData>[] = [
  SERVER,
  { id: 'keys', title: 'Keys', width: '100px', cell: ({ keys }) => counted(keys.length, 'key') },
  {
    id: 'mode',
    title: 'Other keys are',
    width: '180px',
    cell: ({ mode }) => (mode === 'REPORT' ? 'served and told' : 'refused and told'),
  },
  SOURCE,
];

export const NOTARY_COLUMNS: readonly Column<RuleData>[] = [
  { ...SERVER, title: 'Notary', cell: ({ name }) => <UntrustedText text={name} /> },
  {
    id: 'url',
    title: 'Asked at',
    width: '280px',
    cell: ({ url }) => <UntrustedText text={url ?? ''} max={80} />,
  },
  SOURCE,
];
