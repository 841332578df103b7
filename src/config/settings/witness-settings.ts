import { group, optional, setting } from '../kinds/setting.js';
import { count, duration, path, text } from '../kinds/value-kinds.js';
import { witnessedLogs, witnesses } from '../kinds/witness-kinds.js';

/** Settings of the group `log`: who watches ours. */
export const LOG_WITNESS_SETTINGS = {
  witnesses: setting(witnesses(), {
    default: [],
    doc: 'Witnesses that each checkpoint is offered to. A private address is fine: nobody else chooses it',
  }),
  witness_quorum: setting(count(1, 15), {
    default: 1,
    doc: 'Cosignatures of them that make a checkpoint a witnessed one',
  }),
  witness_timeout: setting(duration({ min: '1s', max: '1m' }), {
    default: '10s',
    doc: 'Time for one offer to a witness. A slow one holds up nobody',
  }),
  maximum_witness_delay: setting(duration({ min: '1s', max: '1w' }), {
    default: '1m',
    doc: 'New entries may be without a witnessed checkpoint so long; health warns beyond that',
  }),
};

export const WITNESS_SETTINGS = {
  witness: group('Being a witness for other logs, on listeners with the resource witness', {
    logs: setting(witnessedLogs(), {
      default: [],
      doc: 'Logs whose checkpoints are cosigned here, each with its key',
    }),
    key_path: optional(path('a file, PRIVATE+KEY+NAME+ID+BASE64'), {
      doc: 'Key that cosigns, made at the first start. Unset: witness.key beside the database or the signing key',
      example: './data/witness.key',
    }),
    name: optional(text('a host name and a path, without scheme', /^[A-Za-z0-9.:[\]_~/-]{1,255}$/), {
      doc: 'Name of the witness, fixed when its key is made. Unset: host and path under which it is served',
      example: 'witness.example.org',
    }),
    request_rate: group('Requests per client address (IPv6: its /64)', {
      burst: setting(count(0, 10_000), {
        default: 50,
        doc: 'Requests allowed at once; further ones are answered with 429. 0: no limit',
      }),
      interval: setting(duration({ max: '1h' }), {
        default: '200ms',
        doc: 'One more request is allowed after each interval',
      }),
    }),
  }),
};
