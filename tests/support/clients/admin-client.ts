import type { Role } from '../../../src/core/access/operators/viewer.js';
import { FROM_PAGE, adminListeners, signInAs } from '../../rest/operators/admin-kit.js';
import { startTestService, type TestService, type TestServiceOptions } from '../service.js';

/** One error of an answer. */
export interface AnswerError {
  message: string;
  path?: (string | number)[];
  extensions: { code: string; requestId: string; [name: string]: unknown };
}

/** An answer of the API. */
export interface GraphqlAnswer<Data = Record<string, never>> {
  status: number;
  headers: Headers;
  data: Data | null;
  errors: AnswerError[];
}

/** Starts a service with the operators' side, where sessions may send any operation: tests have no trusted ones. */
export function startGraphqlService(options: TestServiceOptions = {}): Promise<TestService> {
  const settings = { admin: { graphql: { ad_hoc: 'always' } }, ...options.settings };
  return startTestService({ ...options, settings: { ...adminListeners(), ...settings } });
}

/** Sends operations as somebody. A session or token has 20 a second: make another client for more. */
export class AdminClient {
  private constructor(
    private readonly service: TestService,
    /** What says who it is; for tests that send requests of their own. */
    readonly headers: Readonly<Record<string, string>>,
  ) {}

  /** A browser with a session of this role. */
  static async signIn(service: TestService, role: Role): Promise<AdminClient> {
    return new AdminClient(service, { ...FROM_PAGE, cookie: await signInAs(service, role) });
  }

  /** A script with an API token; there is none for operators. */
  static async withToken(
    service: TestService,
    scope: 'admin_read' | 'admin_operate' | 'admin_write',
  ): Promise<AdminClient> {
    const wanted = { userId: null, label: 'script', expiresTs: null, scopes: [scope] };
    const { token } = await service.context.access.tokens.create(wanted);
    return new AdminClient(service, {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    });
  }

  /** Somebody who has not signed in, on our own page. */
  static anonymous(service: TestService, headers: Record<string, string> = {}): AdminClient {
    return new AdminClient(service, { ...FROM_PAGE, ...headers });
  }

  /** Sends one operation. */
  send<Data = Record<string, never>>(
    query: string,
    variables: Record<string, unknown> = {},
  ): Promise<GraphqlAnswer<Data>> {
    return this.post<Data>(JSON.stringify({ query, variables }));
  }

  /** Sends one operation that must succeed; throws with its errors otherwise. */
  async data<Data>(query: string, variables: Record<string, unknown> = {}): Promise<Data> {
    const { data, errors } = await this.send<Data>(query, variables);
    if (data === null || errors.length > 0) throw new Error(JSON.stringify(errors));
    return data;
  }

  /** Sends any body, with some headers replaced or (by `null`) left out. */
  async post<Data = Record<string, never>>(
    body: string,
    change: Record<string, string | null> = {},
  ): Promise<GraphqlAnswer<Data>> {
    const answer = await fetch(this.url, { method: 'POST', headers: this.changed(change), body });
    const { data = null, errors = [] } = (await answer.json()) as Partial<GraphqlAnswer<Data>>;
    return { status: answer.status, headers: answer.headers, data, errors };
  }

  get url(): string {
    return `${this.service.url}/admin/api/graphql`;
  }

  /** The headers with some replaced or (by `null`) left out. */
  changed(change: Record<string, string | null>): Record<string, string> {
    const kept = Object.entries({ ...this.headers, ...change }).filter(([, value]) => value !== null);
    return Object.fromEntries(kept) as Record<string, string>;
  }
}

/** Codes of the errors of an answer. */
export function codesOf(answer: GraphqlAnswer<unknown>): string[] {
  return answer.errors.map(({ extensions }) => extensions.code);
}
