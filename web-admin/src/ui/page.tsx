import { Anchor, Box, DataList, Group, Paper, Text, Title } from '@mantine/core';
import '@mantine/core/styles/DataList.css';
import { useEffect, type ReactNode } from 'react';
import { Link } from 'wouter';

import { useSession } from '../session/session-context.js';
import { Icon } from './icons.js';
import { Section } from './state.js';
import { Note } from './text/text.js';
import { writeMarks } from './text/visible-marks.js';

interface PageHeaderProps {
  /** Also the window's title. */
  title: string;
  /** Drawn instead of the plain title, e.g. untrusted text with a copy button. */
  heading?: ReactNode;
  /** One sentence on what the page is for. */
  description?: ReactNode;
  /** Buttons at the right. */
  actions?: ReactNode;
  /** The page above, for details. */
  back?: { href: string; label: string };
}

/** Title, sentence and actions of a page. Every page has exactly one. */
export function PageHeader({ title, heading, description, actions, back }: PageHeaderProps) {
  const { serverName } = useSession();
  useEffect(() => {
    document.title = `${writeMarks(title)} · ${serverName} · Vidimus`;
  }, [title, serverName]);
  return (
    <Group component="header" justify="space-between" align="flex-end" mb="md">
      <Box miw={0} maw="100%">
        {back !== undefined && (
          <Anchor component={Link} href={back.href} c="dimmed" size="sm">
            <Icon name="chevronLeft" size={12} /> {back.label}
          </Anchor>
        )}
        <Title order={1} className="v-text">
          {heading ?? title}
        </Title>
        {description !== undefined && (
          <Text c="dimmed" data-prose>
            {description}
          </Text>
        )}
      </Box>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}

interface PanelProps {
  title?: ReactNode;
  /** Small print beside the title. */
  note?: ReactNode;
  /** Buttons or a switch at the right of the title. */
  actions?: ReactNode;
  children: ReactNode;
  /** No inner padding: for tables and lists that run to the edge. */
  flush?: boolean;
  /** Name of a panel that has no title. */
  label?: string;
}

/** A card of the page: one subject, fails alone. */
export function Panel({ title, note, actions, children, flush = false, label }: PanelProps) {
  return (
    <Paper component="section" withBorder miw={0} {...(label === undefined ? {} : { 'aria-label': label })}>
      {(title !== undefined || actions !== undefined) && (
        <Box px="sm" pt="xs" pb={flush ? 'xs' : 4}>
          <SectionHead title={title} note={note} actions={actions} />
        </Box>
      )}
      <Box p={flush ? 0 : 'sm'}>
        <Section>{children}</Section>
      </Box>
    </Paper>
  );
}

/** Title of a part of the page, with small print and buttons. */
export function SectionHead({ title, note, actions }: Pick<PanelProps, 'title' | 'note' | 'actions'>) {
  return (
    <Group gap="xs">
      {title !== undefined && <Title order={2}>{title}</Title>}
      {note !== undefined && <Note>{note}</Note>}
      {actions !== undefined && (
        <Group gap="xs" ml="auto">
          {actions}
        </Group>
      )}
    </Group>
  );
}

/** Label and value pairs of a detail page, in reading order. Null values are left out. */
export function Fields({ items }: { items: readonly (readonly [string, ReactNode] | null)[] }) {
  return (
    <DataList orientation="vertical" className="v-fields">
      {items
        .filter((item) => item !== null)
        .map(([label, value]) => (
          <DataList.Item key={label}>
            <DataList.ItemLabel>{label}</DataList.ItemLabel>
            <DataList.ItemValue>{value}</DataList.ItemValue>
          </DataList.Item>
        ))}
    </DataList>
  );
}
