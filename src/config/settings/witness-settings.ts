import { setting } from '../kinds/setting.js';
import { count } from '../kinds/value-kinds.js';
import { witnesses } from '../kinds/witness-kinds.js';

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
};
