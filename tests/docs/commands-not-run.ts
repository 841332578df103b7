/**
 * Commands of the documentation that no test runs as they stand there, each with the reason and what is done instead. A
 * test holds that every command is run, or stands here.
 */
export const NOT_RUN: readonly { page: string; command: RegExp; why: string }[] = [
  {
    page: 'README.md',
    command: /^npm (?:start|test|run demo)/,
    why: 'they install, or run all tests; tests/start and tests/browser/seeded.test.ts run what they start',
  },
  {
    page: 'README.md',
    command: /preview_url/,
    why: 'asks for a page of another machine; tests/docs/api.test.ts asks for one of loopback',
  },
  {
    page: 'README.md',
    command: /^node bin\/vidimus\.js config (?:generate|check)/,
    why: 'the same lines stand in FIRST-HOUR, where they are run',
  },
  {
    page: 'CONTRIBUTING.md',
    command: /^npm (?:start|run build)/,
    why: 'they install and build the checkout that the tests run in; tests/start runs them in one of its own',
  },
  {
    page: 'docs/INSTALL.md',
    command: /^(?:deploy\/debian|apt-get|runuser|systemctl enable|docker|SERVER_NAME=|vidimus healthcheck)/,
    why: 'they change the machine; tests/deploy runs what is packed',
  },
  {
    page: 'docs/INSTALL.md',
    command: /^kubectl/,
    why: 'wants a cluster; tests/deploy/kubernetes.test.ts checks what is applied',
  },
  {
    page: 'docs/INSTALL.md',
    command: /^vidimus media copy/,
    why: 'wants a bucket; tests/cli/media-copy.test.ts runs it against a real object store',
  },
  {
    page: 'docs/MONITORING.md',
    command: /^promtool/,
    why: 'tests/deploy/monitoring.test.ts runs promtool where there is one',
  },
  {
    page: 'docs/FIRST-HOUR.md',
    command: /^npm run build$/,
    why: 'tests/start/checkout.test.ts runs it in a checkout that was never built',
  },
  {
    page: 'docs/FIRST-HOUR.md',
    command: /example\.org\/'$|key query example\.org/,
    why: 'they ask another machine; tests/docs/api.test.ts and tests/cli ask one of loopback',
  },
];
