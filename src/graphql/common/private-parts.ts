import { withoutUsers } from '../../core/access/operators/privacy.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { badUserInput } from './graphql-errors.js';

const WITH_QUERY = 'https://example.org/?q';
const WEB_ADDRESS = /^https?:\/\//i;
const ADDRESS_IN_TEXT = /https?:\/\/[^\s"'<>]+/gi;

/** A URL for those who ask; `null` stays null. */
export function shownUrl(url: string, context: GraphqlContext): string {
  return context.services.privacy.url(viewerOf(context).role, url);
}

/** A sentence for those who ask: each web address in it as `shownUrl` gives it. */
export function shownText(text: string, context: GraphqlContext): string {
  return withoutUsers(text).replace(ADDRESS_IN_TEXT, (url) => shownUrl(url, context));
}

/** Whether those who ask see no query strings, so that no search may find them either. */
export function hidesQueries(context: GraphqlContext): boolean {
  return shownUrl(WITH_QUERY, context) !== WITH_QUERY;
}

/** Whether those who ask see no user IDs. */
export function hidesOwners(context: GraphqlContext): boolean {
  return context.services.privacy.owner(viewerOf(context).role, '@somebody:example.org') === null;
}

/** A user to filter by. Refused to roles that see no user IDs. */
export function ownerSought(owner: string | null | undefined, context: GraphqlContext): string | undefined {
  if (owner === null || owner === undefined) return undefined;
  if (hidesOwners(context))
    throw badUserInput('This role cannot filter by user, because users are hidden from it');
  return owner;
}

/** A JSON value of a preview for those who ask: web addresses in it without what is hidden from them. */
export function shownValue(value: unknown, context: GraphqlContext): unknown {
  if (typeof value !== 'string') return value;
  // An address as a whole may hold what would end it in a sentence.
  return WEB_ADDRESS.test(value) ? shownUrl(value, context) : shownText(value, context);
}

/** The JSON object of a preview in the same way. */
export function shownBody(json: string, context: GraphqlContext): unknown {
  const parsed: unknown = JSON.parse(json);
  if (typeof parsed !== 'object' || parsed === null) return parsed;
  return Object.fromEntries(Object.entries(parsed).map(([key, value]) => [key, shownValue(value, context)]));
}
