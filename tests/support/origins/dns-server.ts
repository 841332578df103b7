import dgram from 'node:dgram';
import net, { type AddressInfo } from 'node:net';

const TYPES = { A: 1, CNAME: 5, AAAA: 28, SRV: 33 } as const;

type RecordType = keyof typeof TYPES;

export interface TestSrv {
  target: string;
  port: number;
  priority?: number;
  weight?: number;
}

/** What a name holds; a CNAME is answered together with the records of its target. */
export interface TestZone {
  A?: string[];
  AAAA?: string[];
  CNAME?: string;
  SRV?: TestSrv[];
  ttlSeconds?: number;
  /** How long an answer takes. */
  delayMs?: number;
  /** Same error for every type, or for the types named. */
  failure?: DnsFailure | Partial<Record<RecordType, DnsFailure>>;
}

/** Failure code 2, refusal code 5, or no answer at all. */
export type DnsFailure = 'SERVFAIL' | 'REFUSED' | 'silence';

/** A DNS server over UDP on loopback. Names that are not in the zones get NXDOMAIN. */
export interface DnsServer {
  /** `127.0.0.1:PORT`, as resolvers take it. */
  readonly address: string;
  /** Zones by lower-case name, `*.` before a domain for all other names below it; may be changed while running. */
  readonly zones: Map<string, TestZone>;
  /** Questions received, as `TYPE name`. */
  readonly queries: string[];
  close(): Promise<void>;
}

export interface Question {
  name: string;
  type: RecordType | null;
  bytes: Buffer;
}

export function readQuestion(packet: Buffer): Question {
  const labels: string[] = [];
  let offset = 12;
  for (let length = packet[offset] ?? 0; length > 0; length = packet[offset] ?? 0) {
    labels.push(packet.toString('latin1', offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  const code = packet.readUInt16BE(offset + 1);
  const type = (Object.keys(TYPES) as RecordType[]).find((candidate) => TYPES[candidate] === code) ?? null;
  return { name: labels.join('.').toLowerCase(), type, bytes: packet.subarray(12, offset + 5) };
}

export function encodeName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  return Buffer.concat([
    ...labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ]);
}

function encodeIpv6(address: string): Buffer {
  const url = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = url.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function encodeSrv({ target, port, priority = 0, weight = 0 }: TestSrv): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt16BE(priority, 0);
  head.writeUInt16BE(weight, 2);
  head.writeUInt16BE(port, 4);
  return Buffer.concat([head, encodeName(target)]);
}

function encodeRecord(name: string, type: RecordType, ttlSeconds: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(TYPES[type], 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt32BE(ttlSeconds, 4);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(name), head, data]);
}

function answers(zones: Map<string, TestZone>, name: string, type: RecordType | null): Buffer[] {
  const zone = zoneOf(zones, name);
  if (zone === undefined || type === null) return [];
  const ttl = zone.ttlSeconds ?? 60;
  if (zone.CNAME !== undefined) {
    const alias = encodeRecord(name, 'CNAME', ttl, encodeName(zone.CNAME));
    return [alias, ...answers(zones, zone.CNAME.toLowerCase(), type)];
  }
  if (type === 'A') {
    return (zone.A ?? []).map((text) =>
      encodeRecord(name, 'A', ttl, Buffer.from(text.split('.').map(Number))),
    );
  }
  if (type === 'AAAA')
    return (zone.AAAA ?? []).map((text) => encodeRecord(name, 'AAAA', ttl, encodeIpv6(text)));
  if (type === 'SRV')
    return (zone.SRV ?? []).map((record) => encodeRecord(name, 'SRV', ttl, encodeSrv(record)));
  return [];
}

function zoneOf(zones: Map<string, TestZone>, name: string): TestZone | undefined {
  const labels = name.split('.');
  const above = labels.map((_, at) => `*.${labels.slice(at + 1).join('.')}`);
  const found = [name, ...above].map((key) => zones.get(key)).find((zone) => zone !== undefined);
  // A name with others below it exists (RFC 8020).
  const hasNames = (): boolean => [...zones.keys()].some((key) => key.endsWith(`.${name}`));
  return found ?? (hasNames() ? {} : undefined);
}

function errorOf(zone: TestZone | undefined, type: RecordType | null): DnsFailure | null {
  if (zone?.failure === undefined) return null;
  if (typeof zone.failure === 'string') return zone.failure;
  return type === null ? null : (zone.failure[type] ?? null);
}

function reply(packet: Buffer, question: Question, zones: Map<string, TestZone>): Buffer {
  const zone = zoneOf(zones, question.name);
  const failure = errorOf(zone, question.type);
  const records = failure === null ? answers(zones, question.name, question.type) : [];
  const code = failure === 'SERVFAIL' ? 2 : failure === 'REFUSED' ? 5 : zone === undefined ? 3 : 0;
  const head = Buffer.alloc(12);
  packet.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, question.bytes, ...records]);
}

/** Starts the server with the zones given. */
export async function startDnsServer(zones: Record<string, TestZone> = {}): Promise<DnsServer> {
  const table = new Map(Object.entries(zones));
  const queries: string[] = [];
  const socket = dgram.createSocket('udp4');
  socket.on('message', (packet, from) => {
    const question = readQuestion(packet);
    queries.push(`${question.type} ${question.name}`);
    const zone = zoneOf(table, question.name);
    if (errorOf(zone, question.type) === 'silence') return;
    const send = (): void => socket.send(reply(packet, question, table), from.port, from.address);
    if (zone?.delayMs === undefined) send();
    else setTimeout(send, zone.delayMs).unref();
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  return {
    address: `127.0.0.1:${port}`,
    zones: table,
    queries,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

/** A port on loopback that nothing listens at. */
export async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
