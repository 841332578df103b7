/** One step of the way from an empty store to a working service. */
export interface FirstRunStep {
  id: 'preview' | 'keys' | 'reach' | 'media' | 'backup';
  title: string;
  sentence: string;
  /** True: "Test" asks the server. False: only a person can tell. */
  isTestable: boolean;
  /** A line for the machine of the server that works as pasted. */
  line: (serverName: string) => string;
}

/** The steps, those that need nothing else first. */
export const FIRST_RUN_STEPS: readonly FirstRunStep[] = [
  {
    id: 'preview',
    title: 'Make a preview',
    sentence: 'Fetches and reads https://example.org/.',
    isTestable: true,
    line: () => 'vidimus preview https://example.org/',
  },
  {
    id: 'reach',
    title: 'Let peers and clients reach this server',
    sentence: 'The line prints the configuration of a reverse proxy.',
    isTestable: true,
    line: () => 'vidimus config proxy nginx',
  },
  {
    id: 'keys',
    title: 'Check our published keys',
    sentence: 'The record that peers get is signed by the key that signs here.',
    isTestable: true,
    line: (serverName) => `vidimus key query ${serverName}`,
  },
  {
    id: 'media',
    title: 'Let clients use it',
    sentence: 'Each client needs a token of its homeserver or one from this line.',
    isTestable: false,
    line: (serverName) => `vidimus token create --user @me:${serverName}`,
  },
  {
    id: 'backup',
    title: 'Back up the signing key',
    sentence: 'Copy the file to another machine. Without it every peer has to learn a new key.',
    isTestable: false,
    line: () => 'vidimus config show | grep signing_key_path',
  },
];
