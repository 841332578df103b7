import { accounts, basePath } from '../kinds/admin-kinds.js';
import { baseUrl } from '../kinds/network-kinds.js';
import { group, optional, setting } from '../kinds/setting.js';
import { choice, duration, text } from '../kinds/value-kinds.js';

export const ADMIN_SETTINGS = {
  admin: group('The pages and the API of operators, on listeners with the resource admin', {
    base_path: setting(basePath(), {
      default: '/admin',
      doc: 'Path the pages are served under, on this server and through a proxy',
    }),
    public_url: optional(baseUrl('https', 'http'), {
      doc: 'Address browsers reach the pages at, path left out; needed unless that is a loopback address',
      example: 'https://operators.example.org/',
    }),
    matrix_accounts: setting(accounts(), {
      default: {},
      doc: 'Further accounts of the homeserver that may sign in, each with its role (dialect matrix)',
    }),
    session_lifetime: setting(duration({ min: '1m', max: '30d' }), {
      default: '12h',
      doc: 'Time after which a signed-in operator has to sign in again',
    }),
    audit_retention: setting(duration({ min: '30d' }), {
      default: '1y',
      doc: 'How long the record of what operators did is kept',
    }),
    graphql: group('The GraphQL API', {
      ad_hoc: setting(choice(['operators', 'tokens', 'never', 'always']), {
        default: 'operators',
        doc: "Who may send operations other than the pages' own: tokens and operators, tokens, nobody, everybody",
      }),
    }),
    environment: group('A badge on every page, to tell installations apart', {
      label: optional(text('a text of 1 to 32 characters', /^[^\p{Cc}\p{Cf}]{1,32}$/u), {
        doc: 'Text of the badge; without it there is none',
        example: 'staging',
      }),
    }),
    privacy: setting(choice(['auto', 'always', 'never']), {
      default: 'auto',
      doc: 'Hide who asked for previews (auto: from all but admins) and query strings and fragments (auto: from viewers)',
    }),
  }),
};
