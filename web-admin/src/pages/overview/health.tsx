import { Alert, Button, Collapse, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';

import { useBackend } from '../../api/backend-context.js';
import { send } from '../../api/send.js';
import { useViewer } from '../../session/viewer-context.js';
import { mayOpen } from '../../shell/nav-items.js';
import { needsAttention, StateBadge, type Tone } from '../../ui/state.js';
import { counted } from '../../ui/text/number-words.js';
import { Note, RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { overviewQuery, type OverviewData } from './overview-query.js';

type Check = OverviewData['health'][number];

const TONES: Record<Check['state'], Tone> = {
  OK: 'ok',
  WARNING: 'warn',
  FAILED: 'bad',
  NOT_YET_PROVED: 'idle',
};
const WORDS: Record<Check['state'], string> = {
  OK: 'passed',
  WARNING: 'warning',
  FAILED: 'failed',
  NOT_YET_PROVED: 'not checked yet',
};

/** The verdict, what is wrong with what to do, and all other checks folded. */
export function Health({ checks }: { checks: readonly Check[] }) {
  const [isOpen, setOpen] = useState(false);
  const problems = checks.filter(needsAttention);
  const others = checks.filter((check) => !needsAttention(check));
  return (
    <Paper component="section" withBorder p="sm" aria-label="Health">
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {verdictOf(problems.length, others)}
          </Title>
          <Group gap="xs">
            <Button variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {foldedWords(others)} {isOpen ? '▾' : '▸'}
            </Button>
            <CheckNow />
          </Group>
        </Group>
        {problems.map((check) => (
          <Problem key={check.key} check={check} />
        ))}
        <Collapse expanded={isOpen}>
          <Checks checks={others} />
        </Collapse>
      </Stack>
    </Paper>
  );
}

/** Not everything works as long as a check is not proved. */
function verdictOf(problems: number, others: readonly Check[]): string {
  if (problems > 0) return counted(problems, 'problem');
  return others.every(({ state }) => state === 'OK') ? 'Everything works' : 'No problem found';
}

function foldedWords(checks: readonly Check[]): string {
  const passed = checks.filter(({ state }) => state === 'OK').length;
  const unproved = checks.length - passed;
  return `${counted(passed, 'check')} passed${unproved === 0 ? '' : `, ${unproved} not checked yet`}`;
}

/** Runs the checks that go out; the page shows the result with its next look. */
function CheckNow() {
  const { basePath } = useBackend();
  const [isBusy, setBusy] = useState(false);
  const check = async () => {
    setBusy(true);
    await send(basePath, overviewQuery, { variables: { fresh: true } }).catch(() => null);
    setBusy(false);
  };
  return (
    <Button loading={isBusy} onClick={() => void check()}>
      Check now
    </Button>
  );
}

function Problem({ check: { title, state, message, advice, href } }: { check: Check }) {
  const { role } = useViewer();
  return (
    // A state of the page, no news: announced as a group, not as an alert each time it is drawn.
    <Alert variant="default" p="xs" role="group" aria-label={title}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text component="div" size="sm">
          <StateBadge tone={TONES[state]}>{WORDS[state]}</StateBadge> <strong>{title}</strong>{' '}
          <UntrustedText text={message} /> {advice !== null && <UntrustedText text={advice} />}
        </Text>
        {href !== null && mayOpen(role, href) && (
          <Link href={href} aria-label={`Open the page for: ${title}`}>
            Open
          </Link>
        )}
      </Group>
    </Alert>
  );
}

function Checks({ checks }: { checks: readonly Check[] }) {
  return (
    <Stack component="ul" gap="xs" aria-label="Checks">
      {checks.map(({ key, title, state, message, advice, how, provedAt }) => (
        <Text key={key} component="li">
          <StateBadge tone={TONES[state]}>{WORDS[state]}</StateBadge> <strong>{title}</strong>{' '}
          <UntrustedText text={message} /> {advice !== null && <UntrustedText text={advice} />}
          <Note>
            <RelativeTime at={provedAt} none="never" /> · <UntrustedText text={how} />
          </Note>
        </Text>
      ))}
    </Stack>
  );
}
