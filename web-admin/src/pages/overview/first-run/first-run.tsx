import { Button, Checkbox, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';

import { useSession } from '../../../session/session-context.js';
import { useCan } from '../../../session/viewer-context.js';
import { StateBadge } from '../../../ui/state.js';
import { Snippet, UntrustedText } from '../../../ui/text/text.js';
import { FIRST_RUN_STEPS, type FirstRunStep } from './first-run-steps.js';
import { useFirstRun } from './first-run-state.js';
import { useFirstRunTest } from './first-run-tests.js';

/** The way to a working service, each step with a line to paste; gone once all are done or when hidden. */
export function FirstRun() {
  const { isHidden, done, setDone, hide } = useFirstRun();
  const can = useCan();
  const left = FIRST_RUN_STEPS.filter(({ id }) => !done.includes(id));
  if (isHidden || left.length === 0 || !can('diagnoseServer')) return null;
  const doneCount = FIRST_RUN_STEPS.length - left.length;
  return (
    <Paper component="section" withBorder p="sm" aria-label="First steps">
      <Group justify="space-between">
        <Title order={2} size="h4">
          First steps
        </Title>
        <Group gap="xs">
          <Text c="dimmed">
            {doneCount} of {FIRST_RUN_STEPS.length} done
          </Text>
          <Button variant="subtle" onClick={hide}>
            Hide
          </Button>
        </Group>
      </Group>
      <SimpleGrid component="ol" cols={{ base: 1, md: 2 }} spacing="md" p={0} m={0}>
        {FIRST_RUN_STEPS.map((step) => (
          <Step
            key={step.id}
            step={step}
            isDone={done.includes(step.id)}
            onDone={(isDone) => setDone(step.id, isDone)}
          />
        ))}
      </SimpleGrid>
    </Paper>
  );
}

interface StepProps {
  step: FirstRunStep;
  isDone: boolean;
  onDone: (isDone: boolean) => void;
}

function Step({ step, isDone, onDone }: StepProps) {
  const test = useFirstRunTest();
  const { serverName } = useSession();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const run = async () => {
    setBusy(true);
    const outcome = await test(step.id);
    setBusy(false);
    setProblem(outcome.problem);
    onDone(outcome.problem === null);
  };
  return (
    <Stack component="li" gap={4} style={{ listStyle: 'none' }}>
      <Group justify="space-between" wrap="nowrap">
        <Text component="div" fw={600}>
          {step.title} {isDone && <StateBadge tone="ok">done</StateBadge>}
        </Text>
        {step.isTestable ? (
          <Button loading={isBusy} onClick={() => void run()} aria-label={`Test: ${step.title}`}>
            {isDone ? 'Again' : 'Test'}
          </Button>
        ) : (
          <Checkbox label="Done" checked={isDone} onChange={(event) => onDone(event.currentTarget.checked)} />
        )}
      </Group>
      <Text c="dimmed" size="sm">
        {step.sentence}
      </Text>
      {problem !== null && (
        <Text c="var(--v-bad)" size="sm" role="alert">
          <UntrustedText text={problem} />
        </Text>
      )}
      <Snippet text={step.line(serverName)} what={`command: ${step.title}`} />
    </Stack>
  );
}
