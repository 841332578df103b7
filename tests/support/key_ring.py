#!/usr/bin/python3
"""Three key rings' rules for the answer of a notary, with python3-signedjson as Debian packages it.

Reads {"answer", "server_name", "notary_name", "notary_keys": {id: key}} from standard input and prints
{"notary": {id: key}, "origin": {id: key}, "every": {id: key}}: the keys of server_name that each accepts.

  notary  one of the notary's known keys signed the record
  origin  that, and the server's own signature by a key the record lists
  every   each record of the answer has no wrong signature of the notary's known keys, one right one, and one by each
          Ed25519 key that it lists; else none is taken
"""

import json
import sys

from signedjson.key import decode_verify_key_bytes
from signedjson.sign import SignatureVerifyException, verify_signed_json
from unpaddedbase64 import decode_base64


def is_signed(record, name, keys):
    for key_id, key in keys.items():
        try:
            verify_signed_json(record, name, decode_verify_key_bytes(key_id, decode_base64(key)))
            return True
        except SignatureVerifyException:
            pass
    return False


def taken_whole(asked):
    name, keys, accepted = asked["notary_name"], asked["notary_keys"], {}
    for record in asked["answer"]["server_keys"]:
        known = [key_id for key_id in record["signatures"].get(name, {}) if key_id in keys]
        listed = {key_id: entry["key"] for key_id, entry in record["verify_keys"].items()}
        signers = [(name, key_id, keys[key_id]) for key_id in known] + [
            (record["server_name"], key_id, key) for key_id, key in listed.items() if key_id.startswith("ed25519:")
        ]
        if not known or not all(is_signed(record, signer, {key_id: key}) for signer, key_id, key in signers):
            return {}
        if record["server_name"] == asked["server_name"]:
            accepted.update(listed)
    return accepted


def main():
    asked = json.load(sys.stdin)
    accepted = {"notary": {}, "origin": {}, "every": taken_whole(asked)}
    for record in asked["answer"]["server_keys"]:
        if record["server_name"] != asked["server_name"]:
            continue
        if not is_signed(record, asked["notary_name"], asked["notary_keys"]):
            continue
        listed = {key_id: entry["key"] for key_id, entry in record["verify_keys"].items()}
        accepted["notary"].update(listed)
        if is_signed(record, record["server_name"], listed):
            accepted["origin"].update(listed)
    print(json.dumps(accepted))


if sys.argv[1:] != ["--check"]:
    main()
