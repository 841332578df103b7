import { Code, Text } from '@mantine/core';

import { UntrustedText } from '../../ui/text/text.js';
import type { RuleData } from './blocking-query.js';

export const KINDS: Readonly<Record<RuleData['kind'], string>> = {
  URL_PATTERN: 'URL pattern',
  URL_ALLOW: 'allowed URL pattern',
  IP_DENY: 'denied address',
  IP_ALLOW: 'allowed address',
  FEDERATION_ALLOW: 'allowed server',
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
