#!/bin/sh
# Runs the README's two commands on a bare Debian, in a chroot that debootstrap makes, and says how
# long each took and how it ended. What is tested is the last commit of this clone.
#
#     sudo tests/debian.sh SUITE FOLDER [PATH]...
#
# SUITE is bookworm (12) or trixie (13). FOLDER is for the chroot; it is made where there is none,
# and another run goes on in it with a new clone. Each PATH is copied from this machine: what it
# takes to reach the networks from here (settings of apt and pip, certificates).
set -eu

if [ $# -lt 2 ]; then
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
suite=$1 root=$2
shift 2
repository=$(cd "$(dirname "$0")/.." && pwd)
[ "$(id -u)" = 0 ] || { echo "a chroot takes root's rights: sudo $0 $suite $root" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "debootstrap is missing: apt-get install debootstrap" >&2; exit 2; }

say() { printf '=== %s %s: %s\n' "$suite" "$(date +%T)" "$*"; }
inside() { chroot "$root" /usr/bin/env -i HOME=/srv PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "$@"; }

if [ ! -e "$root/etc/debian_version" ]; then
    say "debootstrap"
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$root"
fi
for path in /etc/resolv.conf "$@"; do
    mkdir -p "$root$(dirname "$path")"
    cp -a --dereference --remove-destination "$path" "$root$(dirname "$path")/"
done
mounted() { for folder in proc sys dev/pts dev/shm dev; do mountpoint -q "$root/$folder" && umount "$root/$folder" || true; done; }
trap mounted EXIT
for folder in proc sys dev dev/pts dev/shm; do
    mkdir -p "$root/$folder"
    mountpoint -q "$root/$folder" || mount --bind "/$folder" "$root/$folder"
done

inside sh -c 'apt-get -qq update && apt-get -qqy install git make' >"$root/srv/apt.log" 2>&1
rm -rf "$root/srv/clone" "$root/srv/.cache/sonnx-formal"
git clone --quiet "$repository" "$root/srv/clone"
say "commit $(git -C "$repository" rev-parse --short HEAD), Debian $(cat "$root/etc/debian_version")"
failed=0
for target in setup prove test; do
    start=$(date +%s)
    status=0
    inside make -C /srv/clone "$target" >"$root/srv/$target.log" 2>&1 || status=$?
    [ "$status" = 0 ] || failed=1
    say "make $target: exit $status after $(($(date +%s) - start)) s"
    tail -n 5 "$root/srv/$target.log"
done
inside why3 --version
exit $failed
