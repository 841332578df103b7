import { Box, Table, Text, Tooltip } from '@mantine/core';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/Table.css';

import { UntrustedText } from '../text/text.js';
import type { PreviewValue } from './card-model.js';

const ORIGINS: Readonly<Record<string, readonly [string, string]>> = {
  page: ['page', 'Stated by the page'],
  oembed: ['oEmbed', 'From an oEmbed response'],
  made: ['Vidimus', 'Added by Vidimus, derived from the stored image'],
};

interface PropertyTableProps {
  properties: readonly PreviewValue[];
  caption: string;
}

/** The values of a preview in the order of the answer, each with where it comes from. */
export function PropertyTable({ properties, caption }: PropertyTableProps) {
  return (
    <Box className="v-scroll">
      <Table aria-label={caption} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="32%">Property</Table.Th>
            <Table.Th>Value</Table.Th>
            <Table.Th w={84}>From</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {properties.map(({ key, value, origin }) => (
            <Table.Tr key={key}>
              <Table.Th scope="row" fw={400}>
                <UntrustedText text={key} mono max={60} />
              </Table.Th>
              <Table.Td>
                <UntrustedText text={typeof value === 'string' ? value : JSON.stringify(value)} max={400} />
              </Table.Td>
              <Table.Td>
                <Origin origin={origin} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}

function Origin({ origin }: { origin: string | null }) {
  const [word, meaning] = ORIGINS[origin ?? ''] ?? [origin ?? '—', ''];
  return (
    <Tooltip label={meaning} disabled={meaning === ''}>
      <Text component="span" size="xs" c="dimmed" tabIndex={0}>
        {word}
      </Text>
    </Tooltip>
  );
}
