#!/usr/bin/python3
"""Makes the committed vectors with independent implementations: python3-canonicaljson, python3-signedjson
and libsodium (through python3-nacl), as Debian packages them.

  make-vectors.py               writes json/, records/ and ed25519/ beside this file
  make-vectors.py --fuzz SEED N prints N pairs [text, canonical text], one per line
  make-vectors.py --check       exits 0 when the needed modules are there
"""

import base64
import hashlib
import json
import pathlib
import random
import sys

import nacl.bindings
import nacl.exceptions
from canonicaljson import encode_canonical_json
from signedjson.key import decode_signing_key_base64
from signedjson.sign import sign_json

HERE = pathlib.Path(__file__).parent

SPECIAL = ["", "__proto__", "constructor", "toJSON", "signatures", "unsigned", "10", "9", "a", "A", "é",
           "\x00", "\x1f", "\x7f", "\u2028", "\u2029", "/", "\\", '"', "\b\f\n\r\t", "\uffff", "\uff61",
           "\ue000", "\ud7ff", "\U00010000", "\U0010ffff", "\U0001f600", "日本"]


def text(rng):
    if rng.random() < 0.4:
        return rng.choice(SPECIAL)
    alphabet = "abcXYZ019_-. /\\\"\n\t\x01é€日\uff61\ue000\U00010000\U0001f600"
    return "".join(rng.choice(alphabet) for _ in range(rng.randrange(0, 12)))


def integer(rng):
    kind = rng.randrange(5)
    if kind == 0:
        return rng.randrange(-20, 20)
    if kind == 1:
        return rng.choice([2**53 - 1, 2**53, 2**53 + 1, -(2**53), 2**60 + 1, 2**63, 2**70, 10**21, -(10**30)])
    if kind == 2:
        return rng.randrange(1600000000000, 1900000000000)
    return rng.randrange(-(2**64), 2**64)


def value(rng, depth):
    kind = rng.randrange(10)
    if depth > 0 and kind < 4:
        return {text(rng): value(rng, depth - 1) for _ in range(rng.randrange(0, 6))}
    if depth > 0 and kind < 6:
        return [value(rng, depth - 1) for _ in range(rng.randrange(0, 4))]
    return rng.choice([None, True, False, integer(rng), integer(rng), text(rng), text(rng), text(rng)])


def spelled(rng, obj):
    """One of many spellings of the same value."""
    style = rng.randrange(3)
    if style == 0:
        return json.dumps(obj, ensure_ascii=True)
    if style == 1:
        return json.dumps(obj, ensure_ascii=False, separators=(",", ":"))
    return json.dumps(obj, ensure_ascii=rng.random() < 0.5, indent=rng.choice([0, 1, "\t"]))


def pairs(seed, count):
    rng = random.Random(seed)
    for _ in range(count):
        obj = {text(rng): value(rng, 3) for _ in range(rng.randrange(0, 5))}
        yield [spelled(rng, obj), encode_canonical_json(obj).decode("utf-8")]


def signed_objects(seed, count):
    rng = random.Random(seed)
    for i in range(count):
        seed_text = base64.b64encode(rng.randbytes(32)).decode().rstrip("=")
        obj = {text(rng): value(rng, 2) for _ in range(rng.randrange(0, 5))}
        obj.pop("signatures", None)
        obj.pop("unsigned", None)
        if i % 3 == 0:
            obj["unsigned"] = {"age": i}
        if i % 4 == 0:
            obj["signatures"] = {"other.example": {"ed25519:x": "AAAA"}}
        name = rng.choice(["example.org", "a.b:8448", "__proto__", "[::1]:1"])
        version = "v%d" % i
        key = decode_signing_key_base64("ed25519", version, seed_text)
        published = spelled(rng, obj)
        signed = sign_json(json.loads(published), name, key)
        yield {"seed": seed_text, "version": version, "name": name, "published": published,
               "signature": signed["signatures"][name]["ed25519:" + version],
               "signed": encode_canonical_json(signed).decode("utf-8")}


# Textbook arithmetic on edwards25519, for signatures no honest signer makes.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
I = pow(2, (P - 1) // 4, P)


def add(a, b):
    (x1, y1), (x2, y2) = a, b
    k = D * x1 * x2 * y1 * y2 % P
    return ((x1 * y2 + x2 * y1) * pow(1 + k, P - 2, P) % P, (y1 * y2 + x1 * x2) * pow(1 - k, P - 2, P) % P)


def mul(n, point):
    result = (0, 1)
    while n:
        if n & 1:
            result = add(result, point)
        point = add(point, point)
        n >>= 1
    return result


def x_of(y):
    xx = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(xx, (P + 3) // 8, P)
    if (x * x - xx) % P:
        x = x * I % P
    return x if (x * x - xx) % P == 0 else None


def raw(y, sign):
    return (y | sign << 255).to_bytes(32, "little")


def enc(point):
    return raw(point[1], point[0] & 1)


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE = (x_of(BASE_Y) if x_of(BASE_Y) % 2 == 0 else P - x_of(BASE_Y), BASE_Y)


def torsion():
    rng = random.Random(8)
    while True:
        y = rng.randrange(P)
        if x_of(y) is None:
            continue
        point = mul(L, (x_of(y), y))
        if mul(4, point) != (0, 1):
            return [mul(i, point) for i in range(8)]


def challenge(r, pk, msg):
    return int.from_bytes(hashlib.sha512(r + pk + msg).digest(), "little") % L


def scalar(seed):
    h = bytearray(hashlib.sha512(seed).digest()[:32])
    h[0] &= 248
    h[31] = h[31] & 127 | 64
    return int.from_bytes(h, "little")


def sig_cases():
    rng = random.Random(25519)
    seed = rng.randbytes(32)
    a = scalar(seed)
    pk = enc(mul(a, BASE))
    small = torsion()
    spellings = {enc(t) for t in small} | {raw(y, s) for y in (0, 1, P - 1, P, P + 1) for s in (0, 1)}
    spellings |= {raw(t[1], s) for t in small for s in (0, 1)}
    good = None
    for length in (0, 1, 2, 32, 64, 300):
        msg = rng.randbytes(length)
        sig = nacl.bindings.crypto_sign(msg, nacl.bindings.crypto_sign_seed_keypair(seed)[1])[:64]
        good = (msg, sig)
        s = int.from_bytes(sig[32:], "little")
        yield "honest, %d bytes" % length, pk, msg, sig
        yield "S + L", pk, msg, sig[:32] + (s + L).to_bytes(32, "little")
        yield "S with its top bit set", pk, msg, sig[:63] + bytes([sig[63] | 0x80])
        yield "other message", pk, msg + b"x", sig
        yield "one bit of R", pk, msg, bytes([sig[0] ^ 1]) + sig[1:]
        yield "one bit of S", pk, msg, sig[:32] + bytes([sig[32] ^ 1]) + sig[33:]
        yield "other key", enc(mul(a + 1, BASE)), msg, sig
    msg, sig = good
    for cut in (0, 1, 32, 63):
        yield "cut to %d bytes" % cut, pk, msg, sig[:cut]
    yield "one byte too many", pk, msg, sig + b"\0"
    edge_s = [0, 1, L - 1, L, L + 1, P - 1, P, 2**255 - 1, 2**256 - 1]
    for r in sorted(spellings | {raw(L, 0), raw(P + 2, 0), raw(2**255 - 1, 0)}):
        for s in edge_s:
            yield "special R and S", pk, b"?", r + s.to_bytes(32, "little")
        yield "small R, S that fits", pk, b"?", r + (challenge(r, pk, b"?") * a % L).to_bytes(32, "little")
    for weak in sorted(spellings):
        for message in (b"", b"forged", b"more", b"again"):
            identity = enc((0, 1))
            yield "small-order key, R identity", weak, message, identity + bytes(32)
            r = enc(mul(7, BASE))
            yield "small-order key, honest R", weak, message, r + (7).to_bytes(32, "little")
    for y in range(P, 2**255):
        yield "non-canonical key", raw(y, 0), b"m", enc(mul(9, BASE)) + (9).to_bytes(32, "little")
    mixed = enc(add(mul(a, BASE), small[1]))
    for i in range(24):
        message = b"mixed order %d" % i
        r = enc(mul(11, BASE))
        s = (11 + challenge(r, mixed, message) * a) % L
        yield "key of mixed order", mixed, message, r + s.to_bytes(32, "little")
    off = next(y for y in range(2, 100) if x_of(y) is None)
    yield "key that is no point", raw(off, 0), b"m", sig


def sodium_verdict(pk, msg, sig):
    if len(sig) != 64:
        return False
    try:
        nacl.bindings.crypto_sign_open(sig + msg, pk)
        return True
    except nacl.exceptions.BadSignatureError:
        return False


def verdicts():
    for comment, pk, msg, sig in sig_cases():
        yield [comment, pk.hex(), msg.hex(), sig.hex(), sodium_verdict(pk, msg, sig)]


def write(name, items):
    lines = ",\n".join(json.dumps(item, ensure_ascii=True, separators=(",", ":")) for item in items)
    path = HERE / name
    path.write_text("[\n" + lines + "\n]\n", encoding="ascii")
    print(path.name, path.stat().st_size, "bytes")


def main(args):
    if args[:1] == ["--check"]:
        return
    if args[:1] == ["--fuzz"]:
        for pair in pairs(int(args[1]), int(args[2])):
            print(json.dumps(pair))
        return
    write("json/canonical.json", pairs(1, 150))
    write("records/signed-objects.json", signed_objects(2, 200))
    write("ed25519/verdicts.json", verdicts())


if __name__ == "__main__":
    main(sys.argv[1:])
