#!/usr/bin/python3
"""An OpenStack Swift with its S3 interface, which checks signatures, in one process and on loopback alone.

swift_s3.py --check                     ends with 0 when it can be had here
swift_s3.py FOLDER ACCESS_KEY SECRET [PORT [SECONDS_AHEAD]]
                                        prints the port once it answers; keeps everything in the folder

The access key is PROJECT:USER. Rings of one device, no replicas, no memcached: a cache in memory stands in its place.
"""

import os
import sys
import time

import eventlet

eventlet.monkey_patch()

from eventlet import wsgi
from swift.common.ring import RingBuilder
from swift.common.wsgi import loadapp

real_time = time.time
# By default half a second, after which a listing stays as it was: what would bring it up to date later does not run.
PATIENCE_SECONDS = 60
SERVERS = ("account", "container", "object")

CONFIG = """[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
conn_timeout = {patience}
node_timeout = {patience}
container_update_timeout = {patience}
[pipeline:main]
pipeline = {pipeline}
[app:{app}]
use = egg:swift#{kind}
account_autocreate = true
"""

FILTERS = """[filter:tempauth]
use = egg:swift#tempauth
user_{user} = {secret} .admin
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:slo]
use = egg:swift#slo
[filter:copy]
use = egg:swift#copy
"""


class Cache:
    def __init__(self):
        self.kept = {}

    def get(self, key, **_):
        return self.kept.get(key)

    def set(self, key, value, **_):
        self.kept[key] = value

    def delete(self, key, **_):
        self.kept.pop(key, None)

    def incr(self, key, delta=1, **_):
        self.kept[key] = int(self.kept.get(key) or 0) + delta
        return self.kept[key]


class Silence:
    def write(self, _):
        pass

    def log(self, *_):
        pass

    info = debug = warning = error = log


def load(folder, kind, pipeline, filters=""):
    path = os.path.join(folder, kind + ".conf")
    with open(path, "w") as file:
        app = pipeline.split()[-1]
        config = CONFIG.format(folder=folder, kind=kind, pipeline=pipeline, app=app, patience=PATIENCE_SECONDS)
        file.write(config + filters)
    return loadapp(path)


def listen(port=0):
    return eventlet.listen(("127.0.0.1", port))


def serve(sock, app):
    wsgi.server(sock, app, log=Silence(), log_output=False)


def make_ring(folder, kind, port):
    builder = RingBuilder(1, 1, 0)
    place = {"ip": "127.0.0.1", "port": port, "replication_ip": "127.0.0.1", "replication_port": port}
    builder.add_dev({"id": 0, "region": 1, "zone": 1, "device": "disk", "weight": 1.0, "meta": "", **place})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, kind + ".ring.gz"))


def main(folder, access_key, secret, port="0", ahead_seconds="0"):
    time.time = lambda: real_time() + float(ahead_seconds)
    os.makedirs(os.path.join(folder, "devices", "disk"), exist_ok=True)
    sockets = {kind: listen() for kind in SERVERS}
    for kind, sock in sockets.items():
        make_ring(folder, kind, sock.getsockname()[1])
    for kind, sock in sockets.items():
        eventlet.spawn(serve, sock, load(folder, kind, "server"))
    filters = FILTERS.format(user=access_key.replace(":", "_"), secret=secret)
    pipeline = "catch_errors gatekeeper listing_formats s3api tempauth copy slo proxy-server"
    proxy = load(folder, "proxy", pipeline, filters)
    cache = Cache()

    def with_cache(env, start):
        env["swift.cache"] = cache
        return proxy(env, start)

    sock = listen(int(port))
    print(sock.getsockname()[1], flush=True)
    serve(sock, with_cache)


if sys.argv[1:] != ["--check"]:
    main(*sys.argv[1:])
