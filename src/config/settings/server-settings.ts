import { z } from 'zod';
import { choice, count, duration, flag, kindOf, list, path, size, text } from '../kinds/value-kinds.js';
import { baseUrl, serverName } from '../kinds/network-kinds.js';
import { group, optional, required, setting } from '../kinds/setting.js';

/** What a listener can serve. `metrics` and `admin` belong on an address the public cannot reach. */
export const RESOURCES = ['keys', 'log', 'previews', 'media', 'health', 'metrics', 'admin'] as const;

export type Resource = (typeof RESOURCES)[number];

const RESOURCE_FORM = `a list of ${RESOURCES.join(', ')}, or [{ names: […] }]`;
const resource = z.enum(RESOURCES, { error: `one of ${RESOURCES.join(', ')}` });

const resources = z
  .array(z.union([resource, z.strictObject({ names: z.array(resource) })], { error: RESOURCE_FORM }), {
    error: RESOURCE_FORM,
  })
  .min(1, { error: RESOURCE_FORM })
  .transform((entries) => [
    ...new Set(entries.flatMap((entry) => (typeof entry === 'string' ? [entry] : entry.names))),
  ]);

const bindAddresses = list(text('an IP address or host name', /^[A-Za-z0-9.:_-]+$/));

const listener = z.strictObject(
  {
    port: count(0, 65_535).schema,
    bind_addresses: bindAddresses.schema.min(1, { error: bindAddresses.form }).prefault(['127.0.0.1']),
    type: choice(['http']).schema.prefault('http'),
    tls: flag().schema.prefault(false),
    x_forwarded: flag().schema.prefault(false),
    request_id_header: text('a header name', /^[A-Za-z0-9-]{1,64}$/)
      .schema.optional()
      .transform((name) => name?.toLowerCase() ?? null),
    resources,
  },
  { error: 'a map with port, bind_addresses, tls, x_forwarded, request_id_header, resources' },
);

/** A log that nobody can read proves nothing: unless a listener names it, it is beside the keys. */
function withLog<L extends { resources: Resource[] }>(all: readonly L[]): L[] {
  const isNamed = all.some((each) => each.resources.includes('log'));
  return all.map((each) => {
    const isAdded = !isNamed && each.resources.includes('keys');
    return isAdded ? { ...each, resources: [...each.resources, 'log' as const] } : each;
  });
}

const listeners = kindOf(
  z
    .array(listener, { error: 'a list of listeners' })
    .min(1, { error: 'a list of at least one listener' })
    .transform(withLog),
  `a list of maps: port (0 takes a free one), bind_addresses (127.0.0.1), tls (false), x_forwarded (false), request_id_header, resources (${RESOURCES.join(', ')})`,
);

export const IDENTITY_SETTINGS = {
  server_name: required(serverName(), {
    doc: 'Name under which this server signs. Never change it later: peers know our keys by it',
    example: 'example.org',
  }),
  public_baseurl: optional(baseUrl('https', 'http'), {
    doc: 'Address of this server for clients and peers. Unset: https:// and the server name',
    example: 'https://notary.example.org/',
  }),
  dialect: setting(choice(['svc', 'matrix']), {
    default: 'svc',
    doc: 'Names on the wire: svc for the neutral /_svc paths, matrix beside a Matrix homeserver',
  }),
};

export const LISTENER_SETTINGS = {
  listeners: setting(listeners, {
    default: [
      {
        port: 8008,
        bind_addresses: ['127.0.0.1'],
        resources: ['keys', 'log', 'previews', 'media', 'health'],
      },
      { port: 8009, bind_addresses: ['127.0.0.1'], resources: ['admin'] },
      { port: 9008, bind_addresses: ['127.0.0.1'], resources: ['metrics'] },
    ],
    doc: 'Addresses and what each serves; a listener for keys serves the log if no other does; x_forwarded: only behind a proxy',
  }),
  tls_certificate_path: optional(path('a PEM file: certificate, then its chain'), {
    doc: 'Certificate of the listeners with tls: true',
    example: './data/tls.crt',
  }),
  tls_private_key_path: optional(path('a PEM file'), {
    doc: 'Private key of that certificate',
    example: './data/tls.key',
  }),
  server: group('Limits of the HTTP server', {
    request_timeout: setting(duration({ min: '1s', max: '10m' }), {
      default: '30s',
      doc: 'Time for a whole request, body included, to arrive',
    }),
    max_body_memory: setting(size({ min: '1M', max: '64G' }), {
      default: '128M',
      doc: 'Memory for request bodies until they are answered; beyond it further ones are answered with 503',
    }),
    max_unsent_size: setting(size({ min: '1M', max: '64G' }), {
      default: '256M',
      doc: 'Memory for answers that clients have not read yet, a quarter of it for one client',
    }),
    max_connections: setting(count(1, 1_000_000), {
      default: 10_000,
      doc: 'Maximum connections on all listeners, at most half of the limit of open files; further ones are reset',
    }),
    close_delay: setting(duration({ max: '10m' }), {
      default: '0s',
      doc: 'When stopping, time with /health/ready at 503 and everything still served, so that load balancers notice',
    }),
    drain_timeout: setting(duration({ max: '10m' }), {
      default: '10s',
      doc: 'When stopping, time for running requests to finish; then they are answered with 503',
    }),
  }),
};
