#!/bin/sh
# Builds the Debian package from the packed program. Use: deploy/debian/build.sh FOLDER; prints the path of the package.
# Needs npm and dpkg-deb; no root. The package holds machine code, so it is for the architecture it is built on.
set -eu
mkdir -p "$1"
output=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
version=$(node -p "require('./package.json').version")
architecture=$(dpkg --print-architecture)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
# mktemp lets nobody else in, and this folder becomes "/".
chmod 0755 "$tree"
umask 022

deploy/stage.sh "$tree/usr/lib/vidimus/program" >&2
install -d "$tree/usr/bin" "$tree/DEBIAN"
ln -s ../lib/vidimus/current/bin/vidimus.js "$tree/usr/bin/vidimus"
install -D -m 0644 deploy/config.yaml "$tree/etc/vidimus/config.yaml"
install -D -m 0644 deploy/systemd/vidimus.service "$tree/usr/lib/systemd/system/vidimus.service"
install -D -m 0644 deploy/systemd/vidimus.sysusers "$tree/usr/lib/sysusers.d/vidimus.conf"
install -D -m 0644 deploy/systemd/vidimus.tmpfiles "$tree/usr/lib/tmpfiles.d/vidimus.conf"
install -D -m 0644 README.md "$tree/usr/share/doc/vidimus/README.md"
(cd "$tree/usr/lib/vidimus/program" && cat LICENSE NOTICE dist/server/LICENSES.md dist/web-admin/LICENSES.md) \
  > "$tree/usr/share/doc/vidimus/copyright"
chmod -R u=rwX,go=rX "$tree/usr"

cat > "$tree/DEBIAN/control" <<CONTROL
Package: vidimus
Version: $version
Architecture: $architecture
Maintainer: The Vidimus project <vidimus@localhost>
Installed-Size: $(du -sk "$tree/usr" | cut -f 1)
Depends: $(node deploy/debian/depends.mjs), libatomic1, libjemalloc2, systemd | systemd-standalone-sysusers, systemd | systemd-standalone-tmpfiles
Section: net
Priority: optional
Description: notary for signing keys and URL previews
 Vidimus fetches, checks and vouches for other servers' signing keys, and makes previews of links for
 signed-in users, with pages for its operators.
CONTROL
echo /etc/vidimus/config.yaml > "$tree/DEBIAN/conffiles"
for script in postinst prerm postrm; do
  install -m 0755 "deploy/debian/$script" "$tree/DEBIAN/$script"
done

# xz takes minutes for a few megabytes less.
dpkg-deb -Zgzip --root-owner-group --build "$tree" "$output/vidimus_${version}_${architecture}.deb" >&2
echo "$output/vidimus_${version}_${architecture}.deb"
