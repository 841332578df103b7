import { Code, Text } from '@mantine/core';

import { UntrustedText } from '../../ui/text/text.js';
import type { RuleData } from './blocking-query.js';

export const KINDS: Readonly<Record<RuleData['kind'], string>> = {
  URL_PATTERN: 'Blocked URL',
  URL_ALLOW: 'Allowed URL',
  IP_DENY: 'Blocked range',
  IP_ALLOW: 'Allowed range',
  FEDERATION_ALLOW: 'Allowed server',
};

/** The parts of a rule; all of them must match. */
export function RuleParts({ parts }: { parts: RuleData['parts'] }) {
  return parts.map(({ component, pattern }) => (
    <Text key={component} component="div" inherit>
      {component !== 'address' && component !== 'server_name' && `${component} `}
      <Code>
        <UntrustedText text={pattern} max={80} inside />
      </Code>
    </Text>
  ));
}
