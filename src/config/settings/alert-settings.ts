import { askedAddress } from '../kinds/network-kinds.js';
import { group, optional } from '../kinds/setting.js';
import { path, text } from '../kinds/value-kinds.js';

const WEBHOOK_SETTINGS = {
  url: optional(askedAddress(), {
    doc: 'URL that receives JSON when a key is replaced, and when a health check fails or recovers',
    example: 'https://hooks.example.org/vidimus',
    secret: true,
    live: true,
  }),
  secret: optional(text('a secret of at least 16 characters', /^[\x20-\x7e]{16,256}$/), {
    doc: 'Secret that signs alarms (HMAC-SHA256); prefer the file below or the environment',
    example: 'a secret of 16 characters or more',
    secret: true,
    live: true,
  }),
  secret_path: optional(path('a file that holds only the secret'), {
    doc: 'File that holds the secret, read at each attempt',
    example: './data/webhook.secret',
    live: true,
  }),
};

export const ALERT_SETTINGS = {
  alerts: group('Alarms of key changes and health', {
    webhook: group('One receiver of alarms; see docs/OPERATING.md', WEBHOOK_SETTINGS),
  }),
};
