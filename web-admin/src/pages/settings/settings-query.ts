import { graphql } from '../../gql/gql.js';
import type { SettingFieldsFragment } from '../../gql/graphql.js';

export const settingFields = graphql(`
  fragment SettingFields on Setting {
    path
    value
    secret
    isSet
    source
    origin
    defaultValue
    description
    restartNeeded
    isWaiting
    waitingValue
  }
`);

export const settingsQuery = graphql(`
  query SettingsPage($search: String) {
    settings(search: $search) {
      ...SettingFields
    }
  }
`);

export const reloadMutation = graphql(`
  mutation ReloadSettings($dryRun: Boolean! = false) {
    reloadSettings(dryRun: $dryRun) {
      userErrors {
        code
        message
      }
      changed {
        path
        from
        to
        waits
      }
    }
  }
`);

export type SettingData = SettingFieldsFragment;
