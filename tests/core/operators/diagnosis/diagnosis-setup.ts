import type { KeyRecordPolicy } from '../../../../src/core/notary/key-record/key-record.js';
import {
  diagnoseServer,
  type DiagnosisParts,
  type DiagnosisRequest,
  type ServerDiagnosis,
} from '../../../../src/core/operators/diagnosis/diagnose-server.js';
import { FederationWhitelist } from '../../../../src/core/notary/federation/server-name.js';
import { KeyFetcher } from '../../../../src/core/notary/keys/key-fetcher.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { createTestClient, type TestClientOptions } from '../../notary/federation/federation-setup.js';

export interface DiagnosisSetup extends Omit<TestClientOptions, 'caPem'> {
  policy?: Partial<KeyRecordPolicy>;
  parts?: Partial<DiagnosisParts>;
  question?: Partial<DiagnosisRequest>;
}

/** Diagnoses with the real fetcher, trusting one authority. */
export async function diagnose(
  caPem: string,
  serverName: string,
  { policy, parts, question, ...client }: DiagnosisSetup = {},
): Promise<ServerDiagnosis> {
  const rules = {
    requireAllKeysSigned: false,
    bannedPublicKeys: new Set<string>(),
    maxKeys: 1000,
    ...policy,
  };
  const federation = createTestClient({ ...client, caPem }).client;
  try {
    return await diagnoseServer(
      {
        fetcher: new KeyFetcher(federation, rules),
        whitelist: new FederationWhitelist(null),
        clock: new ManualClock(),
        stored: null,
        ...parts,
      },
      { serverName, keyId: null, ...question },
    );
  } finally {
    federation.close();
  }
}
