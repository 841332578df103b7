#!/bin/sh
# Puts the packed program with the packages it needs into a new folder: what the image and the Debian package hold.
# Use: deploy/stage.sh FOLDER. Needs npm; builds first when sources have changed.
set -eu
mkdir -p "$(dirname "$1")"
mkdir "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
tarball=$(npm run --silent pack -- "$folder" | tail -n 1)
tar -xzf "$tarball" --strip-components=1 --no-same-owner -C "$folder"
rm "$tarball"
cd "$folder"
# Exactly the versions that were tested; none of these packages has a script that an installation needs.
npm ci --omit=dev --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error \
  --fetch-retries=2 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 >&2
chmod 0755 bin/vidimus.js
