import { z } from 'zod';
import { ADMIN_SETTINGS } from './settings/admin-settings.js';
import { FEDERATION_SETTINGS } from './settings/federation-settings.js';
import { SIGNING_SETTINGS } from './settings/key-settings.js';
import { OPERATION_SETTINGS } from './settings/operation-settings.js';
import { ALERT_SETTINGS } from './settings/alert-settings.js';
import { MEDIA_SETTINGS } from './settings/media-settings.js';
import { PREVIEW_SETTINGS } from './settings/preview-settings.js';
import { IDENTITY_SETTINGS, LISTENER_SETTINGS } from './settings/server-settings.js';

/** Top-level settings in the order of the sample. */
export const SECTIONS = [
  { title: 'Identity', settings: IDENTITY_SETTINGS },
  { title: 'Listeners', settings: LISTENER_SETTINGS },
  { title: 'Signing', settings: SIGNING_SETTINGS },
  { title: 'Keys of other servers', settings: FEDERATION_SETTINGS },
  { title: 'Alarms', settings: ALERT_SETTINGS },
  { title: 'Previews', settings: PREVIEW_SETTINGS },
  { title: 'Media', settings: MEDIA_SETTINGS },
  { title: 'Operators', settings: ADMIN_SETTINGS },
  { title: 'Operation', settings: OPERATION_SETTINGS },
] as const;

/** Check of a whole configuration; unknown names are refused. */
export const CONFIG_SCHEMA = z.strictObject(
  {
    ...IDENTITY_SETTINGS,
    ...LISTENER_SETTINGS,
    ...SIGNING_SETTINGS,
    ...FEDERATION_SETTINGS,
    ...ALERT_SETTINGS,
    ...PREVIEW_SETTINGS,
    ...MEDIA_SETTINGS,
    ...ADMIN_SETTINGS,
    ...OPERATION_SETTINGS,
  },
  { error: 'a map of settings' },
);

type DeepReadonly<T> =
  T extends ReadonlyMap<infer K, infer V>
    ? ReadonlyMap<K, DeepReadonly<V>>
    : T extends object
      ? { readonly [P in keyof T]: DeepReadonly<T[P]> }
      : T;

/** Effective settings under the names of the file; durations in ms, sizes in bytes, `null` for what is unset. */
export type Config = DeepReadonly<z.output<typeof CONFIG_SCHEMA>>;
