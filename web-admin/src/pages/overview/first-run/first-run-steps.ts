/** One step of the way from an empty store to a working service. */
export interface FirstRunStep {
  id: 'reach' | 'keys' | 'backup' | 'preview' | 'media';
  title: string;
  sentence: string;
  /** True: "Test" asks the server. False: only a person can tell. */
  isTestable: boolean;
  /** What to type when it does not work yet; `null`: the reverse proxy's lines are what is missing. */
  line: ((about: { serverName: string; command: (words: string) => string }) => string) | null;
}

/** The five steps, in the order they depend on each other. */
export const FIRST_RUN_STEPS: readonly FirstRunStep[] = [
  {
    id: 'reach',
    title: 'Peers reach this server',
    sentence: 'Its name leads, from outside, to this service.',
    isTestable: true,
    line: null,
  },
  {
    id: 'keys',
    title: 'Our own keys are published',
    sentence: 'The record that peers get is signed by the key that signs here.',
    isTestable: true,
    line: ({ serverName, command }) => command(`key query ${serverName} --trace`),
  },
  {
    id: 'backup',
    title: 'The signing key is backed up',
    sentence: 'Without it every peer has to be told a new one. Copy the file to another machine, then tick.',
    isTestable: false,
    line: ({ command }) => `${command('config show')} | grep signing_key_path`,
  },
  {
    id: 'preview',
    title: 'A preview works',
    sentence: 'The page https://example.org/ can be fetched and read from here.',
    isTestable: true,
    line: ({ command }) => command('preview https://example.org/ --trace'),
  },
  {
    id: 'media',
    title: 'Clients get the images',
    sentence:
      'The reverse proxy sends previews and their images here. A link in a room shows its image: then tick.',
    isTestable: false,
    line: null,
  },
];
