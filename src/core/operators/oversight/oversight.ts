import { randomUUID } from 'node:crypto';

import type { Clock } from '../../base/clock.js';
import type { AppendedEvent, KeyEventBatch, KeyEventListener } from '../../notary/keys/key-event-store.js';
import type { AlarmBounds } from '../../notary/keys/saving/alarm-bounds.js';
import type { Pins } from '../../notary/oversight/pins.js';
import {
  ALL_SERVERS,
  notarySchema,
  pinSchema,
  watchSchema,
  type OtherNotary,
  type Watch,
} from '../../notary/oversight/rule-schemas.js';
import type { SqlRunner } from '../../store/sql/plain-sql.js';
import { TEST, enqueue, type OutboxDraft } from './outbox/outbox-store.js';
import type { Webhook } from './outbox/webhook-carrier.js';
import { draftsOf } from './key-event-drafts.js';
import {
  RULE_KINDS,
  checkRule,
  type RuleKind,
  type RuleSets,
  type RuleStore,
  type StoredRule,
} from './rule-store.js';

/** What the configuration says. */
export interface ConfiguredRules extends RuleSets {
  webhooks: readonly Webhook[];
}

export interface RuleView {
  kind: RuleKind;
  /** Server name; `*`: all. */
  name: string;
  /** In the form of the configuration. */
  value: Readonly<Record<string, unknown>>;
  /** `null`: it stands in the configuration, and only there it is changed. */
  createdBy: string | null;
  createdTs: number | null;
}

export interface OversightOptions {
  store: RuleStore;
  pins: Pins;
  alarms: AlarmBounds;
  clock: Clock;
  /** Our own name, for receivers. */
  serverName: string;
  /** Told when an operator has changed rules here; other instances are to refresh theirs. */
  onChanged: () => Promise<void>;
}

const MAX_RULES = 10_000;
const NOTHING: ConfiguredRules = { watch: [], pin: [], notary: [], webhooks: [] };

/** Watches, pins and notaries in effect: those of the configuration, and those of operators beside them. */
export class Oversight {
  #configured = NOTHING;
  #stored: readonly StoredRule[] = [];
  #watches: ReadonlyMap<string, Watch> = new Map();
  #notaries: ReadonlyMap<string, OtherNotary> = new Map();

  constructor(private readonly options: OversightOptions) {}

  /** Takes what the configuration says from now on. */
  replace(configured: ConfiguredRules): void {
    this.#configured = configured;
    this.#apply();
  }

  /** Reads what operators added, on whichever instance. */
  async refresh(): Promise<void> {
    this.#stored = await this.options.store.list();
    this.#apply();
  }

  /** Puts into the outbox what key events lead to. */
  get listener(): KeyEventListener {
    return { alarms: this.options.alarms, appended: (runner, batches) => this.#enqueue(runner, batches) };
  }

  /** What a test of a webhook sends. */
  testDraft(webhook: string, nowTs: number): OutboxDraft {
    const message = 'A test, which an operator asked for.';
    return {
      channel: 'webhook',
      destination: webhook,
      // One of its own: it waits for nothing.
      subject: `test:${randomUUID()}`,
      kind: TEST,
      payload: JSON.stringify({ type: 'test', notary: this.options.serverName, ts: nowTs, message }),
      createdTs: nowTs,
    };
  }

  get webhooks(): readonly Webhook[] {
    return this.#configured.webhooks;
  }

  get notaries(): readonly OtherNotary[] {
    return [...this.#notaries.values()];
  }

  findWebhook(name: string): Webhook | null {
    return this.#configured.webhooks.find((hook) => hook.name === name) ?? null;
  }

  findCommand(name: string): readonly string[] | null {
    return this.#watches.get(name)?.command ?? null;
  }

  findNotary(name: string): OtherNotary | null {
    return this.#notaries.get(name) ?? null;
  }

  /** All rules, those of the configuration first. */
  list(): RuleView[] {
    const configured = RULE_KINDS.flatMap((kind) =>
      this.#configured[kind].map((value) => ({
        kind,
        name: value.server_name,
        value,
        createdBy: null,
        createdTs: null,
      })),
    );
    return [...configured, ...this.#stored.filter((rule) => !this.isConfigured(rule.kind, rule.name))];
  }

  find(kind: RuleKind, name: string): RuleView | null {
    return this.list().find((rule) => rule.kind === kind && rule.name === name) ?? null;
  }

  isConfigured(kind: RuleKind, name: string): boolean {
    return this.#configured[kind].some(({ server_name }) => server_name === name);
  }

  /** Sets or replaces a rule of operators. Returns what is wrong with it; `null` when it is in effect. */
  async set(kind: RuleKind, entered: Readonly<Record<string, unknown>>, by: string): Promise<string | null> {
    const { store, clock } = this.options;
    const { value, problem } = checkRule(kind, entered);
    if (value === null) return problem;
    const name = String(value['server_name']);
    if (this.isConfigured(kind, name)) return 'It stands in the configuration, and only there it is changed.';
    if (kind === 'watch' && this.findWebhook(String(value['webhook'])) === null)
      return 'webhook: the configuration has none of that name';
    if ((await store.count()) >= MAX_RULES) return `There are ${MAX_RULES} already.`;
    await store.save({ kind, name, value, createdTs: clock.now(), createdBy: by });
    await this.refresh();
    await this.options.onChanged();
    return null;
  }

  /** Removes a rule of operators. Returns why it cannot be; `null` when it is gone. */
  async remove(kind: RuleKind, name: string): Promise<string | null> {
    if (this.isConfigured(kind, name)) return 'It stands in the configuration, and only there it is changed.';
    await this.options.store.remove(kind, name);
    await this.refresh();
    await this.options.onChanged();
    return null;
  }

  async #enqueue(runner: SqlRunner, batches: readonly KeyEventBatch<AppendedEvent>[]): Promise<void> {
    const { clock, serverName } = this.options;
    const drafts = draftsOf(batches, {
      watchesOf: (name) =>
        [this.#watches.get(name), this.#watches.get(ALL_SERVERS)].filter((watch) => watch !== undefined),
      webhooks: this.#configured.webhooks,
      notaries: [...this.#notaries.values()],
      ownName: serverName,
      nowTs: clock.now(),
    });
    if (drafts.length > 0) await enqueue(runner, drafts);
  }

  #apply(): void {
    const rules = this.list();
    const of = (kind: RuleKind) => rules.filter((rule) => rule.kind === kind).map(({ value }) => value);
    const watches = of('watch').map((value) => watchSchema.parse(value));
    const notaries = of('notary').map((value) => notarySchema.parse(value));
    this.#watches = new Map(watches.map((watch) => [watch.server_name, watch]));
    this.#notaries = new Map(notaries.map((notary) => [notary.server_name, notary]));
    this.options.pins.replace(of('pin').map((value) => pinSchema.parse(value)));
  }
}
