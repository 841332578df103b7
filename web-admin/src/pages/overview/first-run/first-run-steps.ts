/** One step of the way from an empty store to a working service. */
export interface FirstRunStep {
  id: 'reach' | 'keys' | 'backup' | 'preview' | 'media';
  title: string;
  sentence: string;
  /** True: "Test" asks the server. False: only a person can tell. */
  isTestable: boolean;
  /** The line to run or to add when it does not work yet. */
  line: (about: { serverName: string; pathPrefix: string }) => { text: string; what: string };
}

function proxyLines(path: string): string {
  return `location ${path} {\n  proxy_pass http://127.0.0.1:8008;\n  proxy_set_header Host $host;\n}`;
}

/** The five steps, in the order they depend on each other. */
export const FIRST_RUN_STEPS: readonly FirstRunStep[] = [
  {
    id: 'reach',
    title: 'Peers reach this server',
    sentence: 'Its name leads, from outside, to this service.',
    isTestable: true,
    line: ({ pathPrefix }) => ({ what: 'nginx lines', text: proxyLines(`${pathPrefix}/key/`) }),
  },
  {
    id: 'keys',
    title: 'Our own keys are published',
    sentence: 'The record that peers get is signed by the key that signs here.',
    isTestable: true,
    line: ({ serverName }) => ({ what: 'command', text: `vidimus key query ${serverName} --trace` }),
  },
  {
    id: 'backup',
    title: 'The signing key is backed up',
    sentence: 'Without it every peer has to be told a new one. Copy the file to another machine, then tick.',
    isTestable: false,
    line: () => ({ what: 'command', text: 'vidimus config show | grep signing_key_path' }),
  },
  {
    id: 'preview',
    title: 'A preview works',
    sentence: 'The page https://example.org/ can be fetched and read from here.',
    isTestable: true,
    line: () => ({ what: 'command', text: 'vidimus preview https://example.org/ --trace' }),
  },
  {
    id: 'media',
    title: 'Clients get the images',
    sentence:
      'The media path leads to this service. Ask for any image from outside: 200 or 404 as JSON is right.',
    isTestable: false,
    line: ({ pathPrefix }) => ({
      what: 'nginx lines',
      text: [`${pathPrefix}/client/v1/media/`, `${pathPrefix}/media/`]
        .map((path) => proxyLines(path))
        .join('\n'),
    }),
  },
];
