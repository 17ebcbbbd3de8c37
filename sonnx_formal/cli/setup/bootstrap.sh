#!/bin/sh
# Makes this machine ready for `make prove` and `make test`: Debian packages, then .venv with the
# locked Python packages, then the project itself. Each step is skipped where its result is there,
# so that running this before every make target costs next to nothing.
set -eu

root=$(cd "$(dirname "$0")/../../.." && pwd)
here=$root/sonnx_formal/cli/setup
venv=$root/.venv
log=$root/build/setup.log
oldest_python=3.11

# What the user reads goes to descriptor 3, whatever a step does with the other two.
exec 3>&2
say() { printf 'setup: %s\n' "$*" >&3; }

die() {
    say "$1"
    shift
    for line in "$@"; do printf '       %s\n' "$line" >&3; done
    exit 1
}

# The signal goes on to make once apt-get or pip has stopped in its own good order.
trap 'say "interrupted: the same command again carries on"; trap - INT; kill -INT $$' INT

# --- What is there -------------------------------------------------------------------------------

has() { command -v "$1" >/dev/null 2>&1; }

# The first Python that is new enough and can make a virtual environment. A name on PATH proves
# nothing: it may be the shim of a version manager, or a Python without ensurepip.
find_python() {
    for candidate in python3 python3.11 python3.12 python3.13 python3.14 /usr/bin/python3; do
        if "$candidate" -c "import sys, venv, ensurepip
sys.exit(sys.version_info < tuple(map(int, '$oldest_python'.split('.'))))" >/dev/null 2>&1; then
            echo "$candidate"
            return
        fi
    done
    return 1
}

can_compile() { echo 'int main(void) { return 0; }' | cc -x c - -o /dev/null; }

# Pango and HarfBuzz, by the names under which WeasyPrint loads them for the report as PDF.
can_typeset() {
    "$(find_python)" -c "from ctypes import CDLL
for name in 'pango-1.0', 'pangoft2-1.0', 'harfbuzz', 'harfbuzz-subset': CDLL(f'lib{name}.so.0')"
}

# The Debian packages whose service is missing. The service is asked for, not the package, so that
# a Why3 from opam or a Python from elsewhere will do.
missing_packages() {
    why3 --version >/dev/null 2>&1 || echo why3
    ocamlopt -version >/dev/null 2>&1 || echo ocaml-nox
    ocamlfind printconf >/dev/null 2>&1 || echo ocaml-findlib
    ocamlfind query zarith >/dev/null 2>&1 || echo libzarith-ocaml-dev
    can_compile >/dev/null 2>&1 || echo gcc libc6-dev
    can_typeset >/dev/null 2>&1 || echo libpangoft2-1.0-0 libharfbuzz-subset0 fonts-liberation
    find_python >/dev/null || echo python3 python3-venv
}

# A second opinion, not a need: asked for with the others, where the release has it.
optional_packages() {
    has cvc4 || { apt-cache show cvc4 >/dev/null 2>&1 && echo cvc4; } || true
}

# --- Steps ---------------------------------------------------------------------------------------

# step TITLE WAY_OUT COMMAND...: runs the command with its output in the log.
step() {
    title=$1 way_out=$2
    shift 2
    say "$title"
    printf '\n== %s: %s\n' "$title" "$*" >>"$log"
    status=0
    "$@" >>"$log" 2>&1 9<&- || status=$?
    [ $status -eq 0 ] && return
    say "this step failed (exit code $status); the end of its output:"
    tail -n 5 "$log" | cut -c 1-160 | sed 's/^/       | /' >&3
    die "$way_out" "The whole log: $log"
}

# sudo asks for a password only where somebody can type one.
if [ "$(id -u)" -eq 0 ]; then
    as_root() { "$@"; }
elif [ -t 0 ]; then
    as_root() { sudo "$@"; }
else
    as_root() { sudo -n "$@"; }
fi

noninteractive() { as_root env DEBIAN_FRONTEND=noninteractive "$@"; }

apt() { noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@"; }

# An earlier run may have been stopped in the middle: packages unpacked and not configured, or
# without their dependencies. dpkg finishes the former, --fix-broken the latter.
apt_install() {
    noninteractive dpkg --configure -a || echo "left to --fix-broken"
    apt install -y --fix-broken --no-install-recommends "$@"
}

install_packages() {
    missing=$(missing_packages | xargs)
    [ -z "$missing" ] && return
    has apt-get || die "these are missing: $missing" \
        "Those are Debian's names, and this system has no apt-get: install Why3 (1.5 or later)," \
        "OCaml with ocamlfind and Zarith, a C compiler, Pango, and Python ($oldest_python or later)" \
        "with venv in your system's own way, then run the same command again."
    as_root true 2>/dev/null || die \
        "Debian packages are missing, and this user is neither root nor may use sudo." \
        "Ask somebody who may to run this, then run the same command again:" \
        "  apt-get update && apt-get install --no-install-recommends $missing $(optional_packages)"

    network="Is the network up, and are the sources of apt right? Then run the same command again."
    step "Debian packages, 1 of 2: apt-get update (seconds)" "$network" apt update
    packages=$(echo "$missing" "$(optional_packages)" | xargs)
    # shellcheck disable=SC2086  # one word a package
    step "Debian packages, 2 of 2: install $packages (1 to 5 minutes)" "$network" \
        apt_install $packages
    missing=$(missing_packages | xargs)
    [ -z "$missing" ] || die \
        "apt-get succeeded, but this is still missing or does not work: $missing" \
        "Is another installation earlier on PATH? The log: $log"
}

make_venv() {
    python=$(find_python)
    offline="Is the network up, and can pip reach its index? Then run the same command again."
    rm -rf "$venv"
    step "Python, 1 of 2: make .venv with $("$python" -V) (seconds)" \
        "Try '$python -m venv /tmp/try' to see why." "$python" -m venv "$venv"
    step "Python, 2 of 2: install the locked packages into .venv (about a minute)" "$offline" \
        "$venv/bin/python" -m pip install --disable-pip-version-check --no-input \
        --no-compile --require-hashes --only-binary :all: -r "$here/requirements.lock"
}

install_project() {
    step "install sonnx-formal itself (seconds)" "Look at the log." \
        "$venv/bin/python" -m pip install --disable-pip-version-check --no-input \
        --no-deps --no-build-isolation -e "$root"
}

# --- Stamps --------------------------------------------------------------------------------------
# A stamp is written last, and removed with .venv, so that it never vouches for a half-made one. It
# holds the hash of all that its step depends on; .venv cannot be moved, so the place counts too.

venv_key() { { echo "$root"; cat "$0" "$here/requirements.lock"; } | sha256sum; }
project_key() { sha256sum <"$root/pyproject.toml"; }
is_fresh() { [ "$(cat "$venv/$1" 2>/dev/null)" = "$2" ]; }

# An upgrade of the system's Python leaves .venv without its packages.
venv_works() { "$venv/bin/python" -c 'import click' >/dev/null 2>&1; }

ready() {
    has why3 && has ocamlfind && has cc && venv_works &&
        is_fresh .venv-stamp "$(venv_key)" && is_fresh .project-stamp "$(project_key)"
}

ready && exit 0
mkdir -p "$root/build"
exec 9<"$root/pyproject.toml"
flock 9 # two make commands at once: the second waits, then finds all done
ready && exit 0
: >"$log"
install_packages
if ! venv_works || ! is_fresh .venv-stamp "$(venv_key)"; then
    make_venv
    venv_key >"$venv/.venv-stamp"
fi
install_project
project_key >"$venv/.project-stamp"
say "done"
