/** An operation to copy; tokens with an admin scope may send free text. */
export interface Example {
  title: string;
  sentence: string;
  text: string;
  variables: Record<string, unknown>;
}

// Plain texts, not trusted documents: these are for scripts with a token of their own.
export const EXAMPLES: readonly Example[] = [
  {
    title: 'Is everything fine?',
    sentence: 'The health list, for a monitor. Scope: admin_read.',
    text: 'query Health {\n  overview {\n    health {\n      title\n      state\n      message\n    }\n  }\n}',
    variables: {},
  },
  {
    title: 'Servers whose keys cannot be fetched',
    sentence: 'The first page; go on with after: endCursor while hasNextPage is true.',
    text: 'query Failing($after: String) {\n  servers(first: 100, after: $after, filter: { failing: true }) {\n    nodes {\n      name\n      failCount\n      lastFetch {\n        message\n      }\n    }\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n  }\n}',
    variables: { after: null },
  },
  {
    title: 'Why does a server fail?',
    sentence: 'Every stage of a key fetch; stores nothing. Scope: admin_write.',
    text: 'mutation Diagnose($name: String!) {\n  diagnoseServer(input: { serverName: $name }) {\n    userErrors {\n      code\n      message\n    }\n    report {\n      ok\n      steps {\n        title\n        status\n        message\n        advice\n      }\n    }\n  }\n}',
    variables: { name: 'example.org' },
  },
  {
    title: 'How many previews of a host would go?',
    sentence: 'A dry run; send the count back as expectedCount with dryRun: false to delete them.',
    text: 'mutation Count($host: String!) {\n  deletePreviews(input: { filter: { host: $host }, dryRun: true }) {\n    userErrors {\n      code\n      message\n    }\n    matched\n  }\n}',
    variables: { host: 'example.org' },
  },
  {
    title: 'Run a job now',
    sentence: 'Then ask for jobRun(id) until finishedAt is set.',
    text: 'mutation Run($name: String!) {\n  runJob(input: { name: $name }) {\n    userErrors {\n      code\n      message\n    }\n    run {\n      id\n      outcome\n    }\n  }\n}',
    variables: { name: 'preview_cleanup' },
  },
];

/** A curl line that sends an example; the token comes from the shell, so it stays out of this page. */
export function curlOf({ text, variables }: Example, address: string): string {
  const body = JSON.stringify({ query: text.replace(/\s+/g, ' '), variables });
  return [
    `curl ${address} \\`,
    `  -H 'authorization: Bearer '"$VIDIMUS_TOKEN" \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '${body.replace(/'/g, `'\\''`)}'`,
  ].join('\n');
}
