/** A frame of a sample of `perf script`: a function, and for JavaScript its file, with the object it lies in. */
interface Frame {
  name: string;
  object: string;
}

/** What a sample stands for where any of its frames says so, whoever called it. */
const ANYWHERE: readonly [string, RegExp][] = [
  ['garbage collection', /Scaveng|MarkCompact|CollectGarbage|Sweep|Marking|Evacuat|GarbageCollect/],
  [
    "V8's optimising compiler",
    /compiler::|turboshaft|OptimizingCompile|maglev|BaselineBatch|OptimizedCompilation/,
  ],
  ['parsing and compiling', /v8::internal::(?:Compiler|parsing|Parser|PreParser|interpreter|Scanner)/],
  ['kernel: sending', /^(?:tcp_sendmsg|__sys_sendto|__sys_sendmsg)/],
  ['kernel: files', /^(?:ext4_|xfs_|btrfs_|vfs_fsync|do_sys_openat2|vfs_write)/],
];

/** The same by the innermost function in JavaScript that is named here. */
const SCRIPT: readonly [string, RegExp][] = [
  [
    'reading the page',
    /^(?:scanPage|extractPage|chooseEnhanced|onopentag|onclosetag|ontext|parse|write) .*\/thread-/,
  ],
  [
    'calls of sharp',
    /^(?:#decode|derived?|cascade|toRaw|fromRaw|resized|toBuffer|Sharp|makeThumbnails) |\/sharp\//,
  ],
  ["moving the database's log", /^checkpoint /],
  ['database', /\/(?:adapter|query|client)-|^(?:#patiently|insertRows|insertReturning|queryOn|transaction) /],
  ['files', /^(?:writeFlushed|moveDurably|makeUnflushedFolder|keepThumbnails|keep) | node:(?:internal\/)?fs/],
  ['DNS', / node:internal\/dns|^(?:#askOne|addresses|bothFamilies|lookUpHost) /],
  [
    'Ed25519, canonical JSON, checks of records',
    / node:internal\/crypto|^(?:acceptKeyRecord|encodeObject|findProvenKeys) /,
  ],
  [
    'HTTP and TLS to origins',
    / node:(?:_http_client|_http_agent|_tls_wrap|internal\/js_stream)|\/dist-|^(?:internalConnect|#overSocket|#received|#takeTurn|#pass|readBody|boundedGet|directRequest|connectOne) /,
  ],
  ['between the threads', / node:internal\/(?:per_context\/messageport|worker)|\/serve-calls-/],
  [
    "the asker's request",
    / node:_http_(?:server|outgoing|incoming|common)|^(?:sendJson\w*|servePlain|parserOn\w+) /,
  ],
];

const JAVASCRIPT = /^JS:[*~^+]?(.*)$/;
const OPENSSL =
  /^(?:SSL_|tls_|ssl_|ossl_|EVP_|evp_|X509|x509|ASN1_|asn1_|BN_|bn_|ecp_|EC_|CRYPTO_|OPENSSL_|ED25519|x25519|sha\d|aes|rsaz?_|RSA_)/;
const ALLOCATION = /malloc|_int_free|unlink_chunk|cfree|calloc|memalign/;
const DECODER = /libvips|sharp-/;

/** Shares of samples, as `perf script -F comm,tid,ip,sym,dso` writes them, by what was at work, largest first; they add up to 1. */
export function perfParts(text: string): [string, number][] {
  const counts = new Map<string, number>();
  const samples = text.split('\n\n').filter((sample) => sample.trim() !== '');
  for (const sample of samples) {
    const part = partOf(sample.trim().split('\n'));
    counts.set(part, (counts.get(part) ?? 0) + 1);
  }
  return Array.from(counts, ([part, count]): [string, number] => [part, count / samples.length]).toSorted(
    ([, one], [, other]) => other - one,
  );
}

function partOf([head = '', ...lines]: readonly string[]): string {
  const frames = lines.flatMap(frameOf);
  for (const [part, pattern] of ANYWHERE) if (frames.some(({ name }) => pattern.test(name))) return part;
  if (head.startsWith('libvips')) return 'threads of libvips: decoding, encoding';
  const first = frames.findIndex(({ name }) => JAVASCRIPT.test(name));
  // What JavaScript called, not what called it: handshakes call back.
  if (frames.slice(0, first < 0 ? undefined : first).some(({ name }) => OPENSSL.test(name))) return 'OpenSSL';
  const scripts = frames.flatMap(({ name }) => JAVASCRIPT.exec(name)?.[1] ?? []);
  if (scripts.length === 0) return partOutside(frames);
  for (const script of scripts) {
    const mark = SCRIPT.find(([, pattern]) => pattern.test(script));
    if (mark !== undefined) return mark[0];
  }
  return 'other JavaScript: turns, deadlines, steps';
}

/** Without JavaScript on the stack, of which the unwinder loses sight in libraries without frame pointers. */
function partOutside(frames: readonly Frame[]): string {
  if (frames.some(({ object }) => DECODER.test(object))) return 'threads of libuv that call libvips';
  const [inner] = frames;
  if (inner === undefined) return 'all else';
  if (ALLOCATION.test(inner.name)) return '`malloc` and `free`';
  if (frames.some(({ object }) => object.includes('sqlite'))) return 'database';
  if (inner.object.includes('kernel')) return 'kernel without a known caller';
  return inner.object.endsWith('/node') ? 'native code of Node: libuv, V8' : 'all else';
}

function frameOf(line: string): Frame[] {
  const [, name, object] = /^\s*[0-9a-f]+ (.*) \((.*)\)$/.exec(line) ?? [];
  return name === undefined || object === undefined ? [] : [{ name: name.replace(/:\d+:\d+$/, ''), object }];
}
