import { Anchor, Progress, SimpleGrid, Table, Title } from '@mantine/core';
import '@mantine/core/styles/Progress.css';
import '@mantine/core/styles/Table.css';
import { useState } from 'react';
import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { Panel } from '../../ui/page.js';
import { EmptyState, QueryView } from '../../ui/state.js';
import { byteWords, counted } from '../../ui/text/number-words.js';
import { RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { mediaSpaceQuery, type SpaceData } from './media-query.js';

interface SpaceProps {
  onFilter: (filter: { type?: string; host?: string; owner?: string }) => void;
  onDay: (day: string) => void;
}

/** Where the space goes, as last measured; a click filters the list below. */
export function Space({ onFilter, onDay }: SpaceProps) {
  const query = useQuery(mediaSpaceQuery, {}, { live: 'list' });
  const space = query.data?.mediaSpace;
  const isMeasured = space !== undefined && space.measuredAt !== null;
  return (
    <Panel
      title="Space"
      note={
        isMeasured &&
        space.byType.length > 0 && (
          <>
            {byteWords(space.diskBytes)} on disk in files and thumbnails, measured{' '}
            <RelativeTime at={space.measuredAt} />
          </>
        )
      }
    >
      <QueryView query={query}>
        {({ mediaSpace }) =>
          mediaSpace.measuredAt === null || mediaSpace.byType.length === 0 ? (
            <EmptyState
              title={
                mediaSpace.measuredAt === null
                  ? 'Not measured yet'
                  : 'Nothing was stored when it was measured'
              }
              isSmall
            >
              The job <Link href="/jobs?job=measure_totals">measure_totals</Link> measures it regularly.
            </EmptyState>
          ) : (
            <Groups space={mediaSpace} onFilter={onFilter} onDay={onDay} />
          )
        }
      </QueryView>
    </Panel>
  );
}

function Groups({ space, onFilter, onDay }: SpaceProps & { space: SpaceData }) {
  const { diskBytes, byType, byDay, byHost, byOwner } = space;
  return (
    <SimpleGrid cols={{ base: 1, md: 2, lg: byOwner === null ? 3 : 4 }}>
      <Shares title="By host" shares={byHost} total={diskBytes} onChoose={(host) => onFilter({ host })} />
      <Shares title="By type" shares={byType} total={diskBytes} onChoose={(type) => onFilter({ type })} />
      {byOwner !== null && (
        <Shares
          title="By user"
          shares={byOwner}
          total={diskBytes}
          onChoose={(owner) => onFilter({ owner })}
        />
      )}
      <Shares title="By day" shares={byDay} total={diskBytes} onChoose={onDay} />
    </SimpleGrid>
  );
}

/** The name of all shares beyond the largest. */
const OTHERS = 'others';
const FOLDED = 6;

interface SharesProps {
  title: string;
  shares: readonly Pick<SpaceData['byType'][number], 'name' | 'items' | 'bytes'>[];
  /** Bytes of all. */
  total: number;
  onChoose: (name: string) => void;
}

/** The largest shares, each with a bar; the rest on demand. */
function Shares({ title, shares, total, onChoose }: SharesProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole || shares.length <= FOLDED + 1 ? shares : shares.slice(0, FOLDED);
  return (
    <div>
      <Title order={3}>{title}</Title>
      <Table aria-label={title} verticalSpacing={2} horizontalSpacing={4} layout="fixed">
        <Table.Tbody>
          {shown.map(({ name, items, bytes }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400}>
                {name === '' || name === OTHERS ? (
                  name || 'none'
                ) : (
                  <Anchor
                    component="button"
                    type="button"
                    inherit
                    ta="start"
                    aria-label={`${name}: ${byteWords(bytes)} in ${counted(items, 'item')}`}
                    onClick={() => onChoose(name)}
                  >
                    <UntrustedText text={name} max={40} inside />
                  </Anchor>
                )}
              </Table.Th>
              <Table.Td w={76} ta="right">
                {byteWords(bytes)}
              </Table.Td>
              <Table.Td w={84} ta="right" c="dimmed">
                {counted(items, 'item')}
              </Table.Td>
              <Table.Td w={64}>
                <Progress value={(bytes / Math.max(total, 1)) * 100} aria-label={`Share of ${name}`} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {shown.length < shares.length && (
        <Anchor component="button" type="button" inherit onClick={() => setWhole(true)}>
          Show {shares.length - shown.length} more
        </Anchor>
      )}
    </div>
  );
}
