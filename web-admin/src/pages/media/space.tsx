import { Anchor, Box, Group, Progress, SimpleGrid, Text, Title } from '@mantine/core';
import '@mantine/core/styles/Progress.css';
import { useState } from 'react';

import { useQuery } from '../../api/use-query.js';
import { Panel } from '../../ui/page.js';
import { QueryView } from '../../ui/state.js';
import { byteWords, counted } from '../../ui/text/number-words.js';
import { UntrustedText } from '../../ui/text/text.js';
import { mediaSpaceQuery, type SpaceData } from './media-query.js';

interface SpaceProps {
  onFilter: (filter: { type?: string; host?: string; owner?: string }) => void;
}

/** Disk usage by host, type and user; a click filters the list below. */
export function Space({ onFilter }: SpaceProps) {
  const query = useQuery(mediaSpaceQuery, {}, { live: 'list' });
  const bytes = query.data?.mediaSpace.diskBytes ?? 0;
  return (
    <Panel title="Space" note={bytes > 0 && `${byteWords(bytes)} with thumbnails, which the bars leave out`}>
      <QueryView query={query}>
        {({ mediaSpace: { diskBytes, byType, byHost, byOwner } }) => (
          <SimpleGrid cols={{ base: 1, md: byOwner === null ? 2 : 3 }}>
            <Shares
              title="By host"
              shares={byHost}
              total={diskBytes}
              onChoose={(host) => onFilter({ host })}
            />
            <Shares
              title="By type"
              shares={byType}
              total={diskBytes}
              onChoose={(type) => onFilter({ type })}
            />
            {byOwner !== null && (
              <Shares
                title="By user"
                shares={byOwner}
                total={diskBytes}
                onChoose={(owner) => onFilter({ owner })}
              />
            )}
          </SimpleGrid>
        )}
      </QueryView>
    </Panel>
  );
}

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
      <ul aria-label={title}>
        {shown.map(({ name, items, bytes }) => (
          <Box component="li" key={name} py={4}>
            <Group justify="space-between" wrap="nowrap" gap="xs">
              {name === '' ? (
                'none'
              ) : (
                <Anchor component="button" type="button" inherit ta="start" onClick={() => onChoose(name)}>
                  <UntrustedText text={name} max={40} inside />
                </Anchor>
              )}
              <Text inherit className="v-nowrap">
                {byteWords(bytes)} in {counted(items, 'file')}
              </Text>
            </Group>
            <Progress value={(bytes / Math.max(total, 1)) * 100} aria-label={`Share of ${name}`} />
          </Box>
        ))}
      </ul>
      {shown.length < shares.length && (
        <Anchor component="button" type="button" inherit onClick={() => setWhole(true)}>
          Show {shares.length - shown.length} more
        </Anchor>
      )}
    </div>
  );
}
