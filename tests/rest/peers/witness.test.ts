import { createHash } from 'node:crypto';
import { createServer } from 'node:net';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { parseNote, verifyNote } from '../../../src/core/notary/log/notes/signed-note.js';
import { VerifierKey } from '../../../src/core/notary/log/notes/verifier-key.js';
import { checkpointOf, getLog } from '../../support/clients/log-client.js';
import { healthLine } from '../../support/health-line.js';
import { listenOnFreshPort } from '../../support/fresh-port.js';
import { testEngines } from '../../support/store/databases.js';
import { madeEntries, queueEntries } from '../../support/store/test-log.js';
import { MadeLog, OTHER_LOG_KEY, offerBody } from '../../support/store/test-witness.js';
import { startTestService, type TestService } from '../../support/service.js';
import { PATIENCE_MS } from '../../support/patience.js';

const LOG = new MadeLog(100);
const FORKED = new MadeLog(100, OTHER_LOG_KEY, { face: 'other' });
const ORIGIN_SHA256 = createHash('sha256').update(OTHER_LOG_KEY.name).digest('hex');
const RESOURCES = ['keys', 'log', 'witness', 'health', 'metrics'];

describe.each(testEngines())('the witness (SPEC §4.16), on %s', (engine) => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({
      engine,
      settings: {
        listeners: [{ port: 0, resources: RESOURCES }],
        witness: { logs: [{ verifier_key: OTHER_LOG_KEY.verifierKey }], request_rate: { burst: 100 } },
      },
    });
  });
  afterAll(() => service.remove());

  const address = (path: string) => `${service.url}/_svc/vidimus/v1/witness/${path}`;
  const post = async (body: Buffer | string) => {
    const response = await fetch(address('add-checkpoint'), { method: 'POST', body: Buffer.from(body) });
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      reason: response.headers.get('error-reason'),
      text: await response.text(),
    };
  };
  const cosigned = async (path = ORIGIN_SHA256) => fetch(address(`${path}/checkpoint`));

  it('answers each offer with the status and the body of the specification', async () => {
    expect((await cosigned()).status).toBe(404);
    const first = await post(await LOG.offer(0, 10));
    expect(first).toMatchObject({ status: 200, type: 'text/plain; charset=utf-8' });
    const key = VerifierKey.parse(service.context.witness.verifierKey)!;
    expect(key).toMatchObject({ name: 'notary.test/_svc/vidimus/v1/witness', type: 4 });
    const note = LOG.checkpoint(10) + first.text;
    expect(verifyNote(parseNote(note)!, [key])).toHaveLength(1);
    const shown = await cosigned();
    expect([shown.status, shown.headers.get('content-type'), await shown.text()]).toEqual([
      200,
      'text/plain; charset=utf-8',
      note,
    ]);

    const stale = { status: 409, type: 'text/x.tlog.size', text: '10\n' };
    expect(await post(await LOG.offer(0, 20))).toMatchObject(stale);
    expect(await post(await FORKED.offer(5, 20))).toMatchObject(stale);
    const refusals = [
      [await FORKED.offer(10, 20), 422, 'offer_inconsistent'],
      [await FORKED.offer(10, 10), 422, 'offer_split_view'],
      [await LOG.offer(30, 20), 400, 'offer_size_below_old'],
      ['old 10\n', 400, 'offer_malformed'],
      [offerBody(10, [], LOG.checkpoint(20).replace('log.test', 'lag.test')), 404, 'offer_unknown_origin'],
      [offerBody(10, [], LOG.checkpoint(20).replace('\n20\n', '\n21\n')), 403, 'offer_untrusted'],
      ['x'.repeat(128 * 1024 + 1), 413, 'too_large'],
    ] as const;
    for (const [body, status, reason] of refusals) expect(await post(body)).toMatchObject({ status, reason });
    expect(await post(await LOG.offer(10, 20))).toMatchObject({ status: 200 });

    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain('vidimus_witness_offers_total{outcome="split_view"} 1\n');
    expect(metrics).toContain('vidimus_witness_offers_total{outcome="inconsistent"} 1\n');
    expect(service.logs.filter(({ level }) => level === 'error')).toMatchObject([
      { msg: 'a log has signed two different histories', origin: OTHER_LOG_KEY.name },
    ]);
  });

  it('knows no other paths and methods', async () => {
    const statusOf = async (path: string, method = 'GET') => {
      const { status, headers } = await fetch(address(path), { method });
      return [status, headers.get('allow')];
    };
    expect(await statusOf('add-checkpoint')).toEqual([405, 'POST, OPTIONS']);
    expect(await statusOf(`${ORIGIN_SHA256}/checkpoint`, 'POST')).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(await statusOf(`${ORIGIN_SHA256}/checkpoint`, 'HEAD')).toEqual([200, null]);
    expect(await statusOf(`${ORIGIN_SHA256.toUpperCase()}/checkpoint`)).toEqual([404, null]);
    expect(await statusOf('other')).toEqual([404, null]);
  });

  it('keeps its state and key over a restart, and holds one client to its rate', async () => {
    const { verifierKey } = service.context.witness;
    const before = await (await cosigned()).text();
    service = await service.restart({
      witness: {
        logs: [{ verifier_key: OTHER_LOG_KEY.verifierKey }],
        request_rate: { burst: 3, interval: '1s' },
      },
    });
    expect(service.context.witness.verifierKey).toBe(verifierKey);
    expect(await (await cosigned()).text()).toBe(before);
    expect(await post('')).toMatchObject({ status: 400 });
    expect(await post('')).toMatchObject({ status: 400 });
    expect(await post(await LOG.offer(20, 30))).toMatchObject({ status: 429, reason: 'limit_exceeded' });
    service.clock.advance(1000);
    expect(await post(await LOG.offer(20, 30))).toMatchObject({ status: 200 });
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain('vidimus_client_bound_total{bound="witness"} 1\n');
    expect(service.logs.some(({ bound }) => bound === 'witness')).toBe(true);
    expect(await healthLine(service, 'refused_requests')).toMatchObject({
      message: expect.stringContaining('witness.request_rate') as string,
    });
  });
});

describe.each(testEngines())('two services that witness each other, on %s', (engine) => {
  let services: TestService[] = [];
  afterAll(() => Promise.all(services.map((each) => each.remove())));

  const freePort = async () => {
    const server = createServer();
    const port = await listenOnFreshPort(server, '127.0.0.1');
    await new Promise((resolve) => server.close(resolve));
    return port;
  };
  const listen = (port: number) => ({ listeners: [{ port, resources: RESOURCES }] });

  it('cosign what the other has signed, within seconds', async () => {
    const ports = [await freePort(), await freePort()] as const;
    services = await Promise.all(
      ['a.test', 'b.test'].map((server_name, index) =>
        startTestService({ engine, settings: { server_name, ...listen(ports[index]!) } }),
      ),
    );
    const keysOf = ({ context }: TestService) => ({
      log: context.services.log.status!.view().verifierKey,
      witness: context.witness.verifierKey,
    });
    const keys = services.map(keysOf);
    const settingsFor = (other: 0 | 1) => ({
      log: {
        witnesses: [
          {
            verifier_key: keys[other]!.witness,
            url: `http://127.0.0.1:${ports[other]}/_svc/vidimus/v1/witness/`,
          },
        ],
      },
      witness: { logs: [{ verifier_key: keys[other]!.log }] },
    });
    services = await Promise.all([
      services[0]!.restart(settingsFor(1)),
      services[1]!.restart(settingsFor(0)),
    ]);
    for (const size of [3, 300]) {
      for (const [index, service] of services.entries()) {
        await queueEntries(service.context.parts.database, madeEntries(0, size));
        const { note } = await cosignedOf(service, size);
        const other = keys[1 - index]!;
        const verifiers = [keys[index]!.log, other.witness].map((text) => VerifierKey.parse(text)!);
        expect(verifyNote(parseNote(note)!, verifiers)).toHaveLength(2);
        // The other one shows it, too.
        const origin = note.slice(0, note.indexOf('\n'));
        const path = createHash('sha256').update(origin).digest('hex');
        const shown = await fetch(`${services[1 - index]!.url}/_svc/vidimus/v1/witness/${path}/checkpoint`);
        expect(await shown.text()).toBe(note);
        expect(await (await getLog(service.url, 'witnessed-checkpoint')).text()).toBe(note);
      }
    }
    const metrics = await (await fetch(`${services[0]!.url}/metrics`)).text();
    expect(metrics).toContain('vidimus_log_witnessed_entries 303\n');
    expect(metrics).toContain('vidimus_log_unwitnessed_seconds 0\n');
  });

  /** The checkpoint once the log has so many entries more, and its witness has cosigned it. */
  const cosignedOf = async ({ url }: TestService, added: number) => {
    const checkpoint = await checkpointOf(url, added === 3 ? 3 : 303);
    return vi.waitFor(
      async () => {
        const latest = await checkpointOf(url, checkpoint.size);
        expect(latest.note.split('\n')).toHaveLength(7);
        return latest;
      },
      { timeout: PATIENCE_MS, interval: 50 },
    );
  };
});
