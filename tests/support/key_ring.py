#!/usr/bin/python3
"""Two key rings' rules for the answer of a notary, with python3-signedjson as Debian packages it.

Reads {"answer", "server_name", "notary_name", "notary_keys": {id: key}} from standard input and prints
{"notary": {id: key}, "origin": {id: key}}: the keys of server_name that each accepts.

  notary  one of the notary's known keys signed the record
  origin  that, and the server's own signature by a key the record lists
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


def main():
    asked = json.load(sys.stdin)
    accepted = {"notary": {}, "origin": {}}
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
