import { Button, Checkbox, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { Link } from 'wouter';

import { useSession } from '../../session/session-context.js';
import { useCan, useViewer } from '../../session/viewer-context.js';
import { Snippet } from '../../ui/text/text.js';
import { serverHref, tryHref } from '../hrefs.js';

/** One step of the way from an empty store to a working service. */
interface FirstStep {
  id: string;
  title: string;
  sentence: string;
  /** A line for the machine of the server that works as pasted. */
  line: string;
  /** The page that does the same, or says whether it is done. */
  page?: { href: string; label: string };
}

const EXAMPLE = 'https://example.org/';
const HIDDEN = 'hidden';

/** Those that need nothing else first. */
function useSteps(): readonly FirstStep[] {
  const { serverName } = useSession();
  const { program } = useViewer();
  return [
    {
      id: 'preview',
      title: 'Make a preview',
      sentence: `Fetches ${EXAMPLE} and shows its preview.`,
      line: `${program} preview ${EXAMPLE}`,
      page: { href: tryHref(EXAMPLE), label: 'Try it here' },
    },
    {
      id: 'reach',
      title: 'Let peers and clients reach this server',
      sentence: 'Prints the configuration of a reverse proxy.',
      line: `${program} config proxy nginx`,
      page: { href: serverHref(serverName, 'diagnose'), label: 'Diagnose' },
    },
    {
      id: 'clients',
      title: 'Let clients use it',
      sentence: 'Each client needs a token from its homeserver, or one from this command.',
      line: `${program} token create --user @me:${serverName}`,
    },
    {
      id: 'backup',
      title: 'Back up the signing key',
      sentence: 'Copy this file to another machine. Without it, every peer must learn a new key.',
      line: `${program} config show | grep signing_key_path`,
    },
  ];
}

/** What to do on a fresh install, each step with a line to paste; gone once all are done or when hidden. */
export function FirstSteps() {
  const [done, setDone] = useLocalStorage<string[]>({
    key: 'vidimus.first-steps',
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const can = useCan();
  const steps = useSteps();
  const doneCount = steps.filter(({ id }) => done.includes(id)).length;
  if (done.includes(HIDDEN) || doneCount === steps.length || !can('tryPreview')) return null;
  return (
    <Paper component="section" withBorder p="sm" aria-label="First steps">
      <Group justify="space-between">
        <Title order={2} size="h4">
          First steps
        </Title>
        <Group gap="xs">
          <Text c="dimmed">
            {doneCount} of {steps.length} done
          </Text>
          <Button variant="subtle" onClick={() => setDone([...done, HIDDEN])}>
            Hide
          </Button>
        </Group>
      </Group>
      <Text c="dimmed" size="sm" mb="xs" data-prose>
        Run these commands on the server.
      </Text>
      <SimpleGrid component="ol" cols={{ base: 1, md: 2 }} spacing="md">
        {steps.map(({ id, title, sentence, line, page }) => (
          <Stack key={id} component="li" gap={4}>
            <Group justify="space-between" wrap="nowrap" mih={32}>
              <Text fw={600}>{title}</Text>
              <Checkbox
                label="Done"
                aria-label={`Done: ${title}`}
                checked={done.includes(id)}
                onChange={({ currentTarget: { checked } }) =>
                  setDone([...done.filter((known) => known !== id), ...(checked ? [id] : [])])
                }
              />
            </Group>
            <Text c="dimmed" size="sm" data-prose>
              {sentence} {page !== undefined && <Link href={page.href}>{page.label}</Link>}
            </Text>
            <Snippet text={line} what={`command: ${title}`} />
          </Stack>
        ))}
      </SimpleGrid>
    </Paper>
  );
}
