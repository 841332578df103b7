import { hasRole } from './viewer.js';
import type { Role } from './viewer.js';

/** `auto` depends on the role; see the settings. */
export type Hiding = 'auto' | 'always' | 'never';

/** Settings admin.privacy. */
export interface PrivacySettings {
  hideOwners: Hiding;
  hideQueryStrings: Hiding;
}

/** What of the people who opened links operators get to see: a list of previews is a list of what people read. */
export class Privacy {
  constructor(private readonly settings: PrivacySettings) {}

  /** A user ID, or `null` when it is none of their business; by default for all but admins. */
  owner(role: Role, userId: string | null): string | null {
    const { hideOwners } = this.settings;
    const isShown = hideOwners === 'never' || (hideOwners === 'auto' && hasRole(role, 'admin'));
    return isShown ? userId : null;
  }

  /** A URL, its query string as `?…` when that is hidden; by default from viewers. */
  url(role: Role, url: string): string {
    const { hideQueryStrings } = this.settings;
    const isShown =
      hideQueryStrings === 'never' || (hideQueryStrings === 'auto' && hasRole(role, 'operator'));
    return isShown ? url : url.replace(/\?[^#]+/, '?…');
  }
}
