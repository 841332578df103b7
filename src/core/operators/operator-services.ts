import type { Privacy } from '../access/operators/privacy.js';
import type { SessionStore } from '../access/operators/session-store.js';
import type { StoredAuditLog } from '../access/operators/stored-audit-log.js';
import type { AccessTokenStore } from '../access/users/access-token-store.js';
import type { RefusedRequests } from '../access/users/refused-requests.js';
import type { Clock } from '../base/clock.js';
import type { ReloadReport, RunningSetting } from '../base/running-setting.js';
import type { JobServices } from '../job-runner/job-registry.js';
import type { FederationWhitelist } from '../notary/federation/server-name.js';
import type { RefreshOutcome } from '../notary/keys/key-fetcher.js';
import { PreviewForgetting } from '../preview/pipeline/preview-cache.js';
import type { Database } from '../store/db.js';
import type { Attempt } from './alarms/webhook.js';
import type { AddedRules, PatternTrial } from './blocking/added-rules.js';
import type { RuleRegistry } from './blocking/rule-registry.js';
import type { UrlCheck } from './blocking/url-check.js';
import type { DiagnosisRequest, ServerDiagnosis } from './diagnosis/diagnose-server.js';
import type { Health } from './health/health.js';
import type { DeletedRecords, Deletion, LogStatus } from './keys/key-records.js';
import type { MediaFilter } from './media/media.js';
import type { Overview } from './overview/overview.js';
import type { KeyRotation } from './own-keys/key-rotation.js';
import type { OwnSigningKey } from './own-keys/own-signing-keys.js';
import type { DeletionReport, DeletionRequest } from './previews/deletions.js';
import type { PreviewReplacement } from './previews/preview-replacement.js';
import type { PreviewTrial } from './previews/preview-trial.js';
import type { PreviewFilter } from './previews/previews.js';

/** What the operators' side uses, alive while the store is open. Each area adds its part. */
export interface OperatorServices {
  clock: Clock;
  database: Database;
  /** How commands for this server are typed on its machine. */
  program: string;
  access: {
    tokens: AccessTokenStore;
    sessions: SessionStore;
    auditLog: StoredAuditLog;
  };
  /** What operators get to see of those who asked. */
  privacy: Privacy;
  overview: Overview;
  health: Health;
  jobs: JobServices;
  blocking: BlockingServices;
  settings: SettingServices;
  /** Sends a test to the webhook now; `null`: none is configured. */
  testWebhook(): Promise<Attempt | null>;
  keys: KeyAdminServices;
  /** `null` where the log is off. */
  log: LogStatus | null;
  previews: PreviewAdminServices;
  /** Requests for previews that this instance refused unread. */
  refusals: RefusedRequests;
}

/** The settings a service runs with. */
export interface SettingServices {
  /** All of them, or those that a text looks for. */
  list(search: string | null): RunningSetting[];
  /** Reads the configuration again and applies what can be applied; with `dryRun` only tells what would happen. */
  reload(options: { dryRun: boolean }): ReloadReport;
}

/** What operators see and do about everything that refuses something. */
export interface BlockingServices {
  registry: RuleRegistry;
  check: UrlCheck;
  /** Patterns that operators block on the pages. */
  added: AddedRules;
  /** As the function of that name. */
  tryPattern(pattern: string, signal?: AbortSignal): Promise<PatternTrial>;
}

/** What operators see and do about keys, alive while the store is open. */
export interface KeyAdminServices {
  whitelist: FederationWhitelist;
  ownName: string;
  signingKeys(): Promise<OwnSigningKey[]>;
  rotation: KeyRotation;
  diagnose(question: DiagnosisRequest): Promise<ServerDiagnosis>;
  /** As `refreshForOperator`. */
  refresh(serverName: string): Promise<RefreshOutcome>;
  deleteRecords(serverNames: readonly string[], deletion: Deletion): Promise<DeletedRecords>;
}

/** What operators see and do about previews and media. */
export interface PreviewAdminServices {
  deletePreviews: (
    request: DeletionRequest<PreviewFilter> & { withMedia: boolean },
  ) => Promise<DeletionReport>;
  deleteMedia: (request: DeletionRequest<MediaFilter>) => Promise<DeletionReport>;
  /** When the cleanup deletes media made at a time. */
  deletesTs(createdTs: number): number;
  contentUri(mediaId: string): string;
  /** Where the signed-in see a media. */
  viewPath(mediaId: string): string;
  forgetting: PreviewForgetting;
  replacement: PreviewReplacement;
  trial: PreviewTrial;
}
