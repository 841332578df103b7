import { Paper, SimpleGrid, Text } from '@mantine/core';
import { Link } from 'wouter';

import { byteWords } from '../../ui/text/number-words.js';
import type { OverviewData } from './overview-query.js';

interface Total {
  label: string;
  value: string;
  /** Empty: there is nothing to add. */
  note: string;
  href: string;
}

/** The six totals; each leads to its list. */
export function Totals({ overview }: { overview: OverviewData }) {
  return (
    <SimpleGrid component="ul" cols={{ base: 2, sm: 3, lg: 6 }} spacing="xs" aria-label="Totals" p={0} m={0}>
      {totalsOf(overview).map(({ label, value, note, href }) => (
        <li key={label} style={{ listStyle: 'none' }}>
          <Paper
            component={Link}
            href={href}
            withBorder
            p="xs"
            display="block"
            h="100%"
            c="inherit"
            td="none"
          >
            <Text component="span" size="xs" c="dimmed" display="block">
              {label}
            </Text>
            <Text component="span" fz={22} fw={600} display="block">
              {value}
            </Text>
            <Text component="span" size="xs" c="dimmed" display="block">
              {note}
            </Text>
          </Paper>
        </li>
      ))}
    </SimpleGrid>
  );
}

function totalsOf({ totals }: OverviewData): Total[] {
  return [
    {
      label: 'Servers',
      value: number(totals.servers),
      note: noteOf(totals.expiredServers, 'expired'),
      href: '/keys',
    },
    {
      label: 'Servers failing',
      value: number(totals.failingServers),
      note: totals.failingServers > 0 ? 'last fetch failed' : '',
      href: '/keys?failing=yes',
    },
    { label: 'Keys from cache', ...share(totals.keyCacheHits, totals.keyLookups), href: '/keys' },
    {
      label: 'Previews',
      value: number(totals.previews),
      note: noteOf(totals.failedPreviews, 'failed lately'),
      href: '/previews',
    },
    {
      label: 'Previews from cache',
      ...share(totals.previewCacheHits, totals.previewRequests),
      href: '/previews',
    },
    {
      label: 'Media on disk',
      value: byteWords(totals.mediaBytes),
      note: noteOf(totals.media, totals.media === 1 ? 'file' : 'files'),
      href: '/previews?tab=media',
    },
  ];
}

function share(hits: number, requests: number): Pick<Total, 'value' | 'note'> {
  if (requests === 0) return { value: '—', note: 'no request yet' };
  return { value: `${Math.round((hits / requests) * 100)} %`, note: `of ${number(requests)} requests` };
}

function noteOf(count: number, words: string): string {
  return count === 0 ? '' : `${number(count)} ${words}`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}
