import { describe, expect, it } from 'vitest';

import { commandLineOf, programHere } from '../../src/cli/invocation.js';
import { typedCommand } from '../../src/core/base/text/command-line.js';

const typed = (script: string, config: string | null, cwd = '/srv/notary') =>
  typedCommand(commandLineOf({ script, cwd, config }), 'keys generate');

describe('commands as they are typed for a running service', () => {
  it.each([
    ['/usr/bin/vidimus', 'config.yaml', 'vidimus keys generate --config /srv/notary/config.yaml'],
    ['/usr/bin/vidimus', '/etc/vidimus.yaml', 'vidimus keys generate --config /etc/vidimus.yaml'],
    ['/opt/v/bin/vidimus.js', '/etc/v.yaml', 'node /opt/v/bin/vidimus.js keys generate --config /etc/v.yaml'],
    [
      '/opt/v/scripts/start.mjs',
      'c.yaml',
      'node /opt/v/bin/vidimus.js keys generate --config /srv/notary/c.yaml',
    ],
    [
      '/a/node_modules/.bin/vidimus',
      '/etc/v.yaml',
      '/a/node_modules/.bin/vidimus keys generate --config /etc/v.yaml',
    ],
    ['/opt/v/scripts/start.mjs', null, 'cd /srv/notary && node /opt/v/bin/vidimus.js keys generate'],
  ])('%s with the configuration %s: from any folder', (script, config, wanted) => {
    expect(typed(script, config)).toBe(wanted);
  });

  it('are words of a shell whatever the folders are called', () => {
    expect(typed("/opt/it's here/vidimus.js", 'a b.yaml', '/srv')).toBe(
      String.raw`node '/opt/it'\''s here/vidimus.js' keys generate --config '/srv/a b.yaml'`,
    );
  });

  it.each([
    ['/opt/v/scripts/start.mjs', { command: 'node bin/vidimus.js', start: 'npm start --' }],
    ['/opt/v/bin/vidimus.js', { command: 'node bin/vidimus.js', start: 'node bin/vidimus.js serve' }],
    ['/usr/bin/vidimus', { command: 'vidimus', start: 'vidimus serve' }],
  ])('%s is named from the folder it was started in', (script, wanted) => {
    expect(programHere({ script, cwd: '/opt/v' })).toEqual(wanted);
  });
});
