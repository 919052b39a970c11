#!/bin/sh
# Sets up everything that a Makefile target needs, says what it does, and does nothing the second time.
#
#   tools/setup_env.sh demo    .venv with kafkacodec and its extras, and a Java runtime for Spark
#   tools/setup_env.sh dev     the same and the dependency groups for tests, linters and benchmarks; without Java
#                              the tests that start Spark or Kafka are left out (an error under KAFKACODEC_REQUIRE_ALL=1)
#
# As root on Debian or Ubuntu, missing system packages are installed; elsewhere one sentence says what to install.
# PYTHON=... chooses the interpreter. The log of the last run is .venv/setup.log.
set -eu

cd "$(dirname "$0")/.."
VENV=$PWD/.venv
LOG=$VENV/setup.log
MODE=${1:-demo}
case $MODE in
demo) WHAT=".[spark,remote,arrow]" GROUPS_ARGS="" ;;
dev) WHAT=".[spark,remote,arrow]" GROUPS_ARGS="--group dev" ;;
*) echo "usage: tools/setup_env.sh demo|dev" >&2 && exit 2 ;;
esac
REQUIRE_ALL=${KAFKACODEC_REQUIRE_ALL:-0}

say() { printf '  %s\n' "$*"; }
die() {
    printf '\nkafkacodec: %s\n' "$*" >&2
    exit 1
}

# --- system packages (root on Debian or Ubuntu only) --------------------------------------------------------------
can_apt() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }

APT_UPDATED=
apt_install() { # apt_install PACKAGE...
    can_apt || return 1
    say "installing with apt-get: $*"
    if [ -z "$APT_UPDATED" ]; then
        apt-get update -qq </dev/null >/dev/null 2>&1 || say "apt-get update failed; trying all the same"
        APT_UPDATED=1
    fi
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends --no-upgrade "$@" </dev/null >/dev/null 2>&1
}

# --- Python 3.11 or newer, with venv; best with the headers that the native backend is compiled against -----------
python_fits() { # python_fits COMMAND MODULES: runs, is new enough, has the modules
    "$1" -c "import sys; assert sys.version_info >= (3, 11); import $2" >/dev/null 2>&1
}
has_headers() {
    "$1" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' 2>/dev/null
}
find_python() { # find_python headers|any
    for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14}; do
        python_fits "$candidate" "venv, ensurepip" || continue
        [ "$1" = any ] || has_headers "$candidate" || continue
        command -v "$candidate"
        return 0
    done
    return 1
}
choose_python() {
    find_python headers && return
    if [ -z "${PYTHON:-}" ] && apt_install python3 python3-venv python3-dev >&2; then
        find_python headers && return
    fi
    find_python any && return
    die "no Python of at least 3.11 with the venv module was found.
Install one (Debian: apt-get install python3 python3-venv python3-dev; macOS: brew install python@3.13), or say where it is: PYTHON=/path/to/python3.11 make ..."
}

# --- a Java runtime that Spark 4 starts on: 17 or newer, with the vector module that its launcher asks for --------
java_fits() { # java_fits JAVA_HOME
    [ -x "$1/bin/java" ] || return 1
    version=$("$1/bin/java" --add-modules=jdk.incubator.vector -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p')
    [ -n "$version" ] && [ "$version" -ge 17 ]
}
find_java() {
    on_path=$(command -v java || true)
    [ -z "$on_path" ] || on_path=$(dirname "$(dirname "$(readlink -f "$on_path" 2>/dev/null || echo "$on_path")")")
    for home in "${JAVA_HOME:-}" "$on_path" /usr/lib/jvm/*17* /usr/lib/jvm/*21* /usr/lib/jvm/* /opt/java/* /opt/jdk* \
        /opt/homebrew/opt/openjdk* /usr/local/opt/openjdk* /Library/Java/JavaVirtualMachines/*/Contents/Home \
        "$HOME"/.sdkman/candidates/java/current; do
        if [ -n "$home" ] && java_fits "$home"; then
            printf '%s\n' "$home"
            return 0
        fi
    done
    return 1
}
choose_java() {
    find_java && return
    { apt_install openjdk-17-jre-headless || apt_install default-jre-headless; } >&2 && find_java && return
    return 1
}

# --- a C compiler, or else the pure backend -----------------------------------------------------------------------
have_compiler() { command -v "${CC:-cc}" >/dev/null 2>&1 || command -v gcc >/dev/null 2>&1; }

pip_install() { # pip_install ARGUMENT...: into .venv, its chatter into the log
    "$VENV/bin/python" -m pip install --disable-pip-version-check --no-input "$@" </dev/null >>"$LOG" 2>&1 || {
        tail -n 25 "$LOG" >&2
        die "pip could not install: $* (the whole log is $LOG)"
    }
}

fingerprint() { # of everything that the installed package is built from
    if have_compiler; then echo "with a compiler"; fi
    find pyproject.toml setup.py src/kafkacodec/_native -type f \( -name '*.toml' -o -name '*.py' -o -name '*.py[x]' \
        -o -name '*.pxd' -o -name '*.h' -o -name crc32.c -o -name crc32c.c \) -exec cksum {} + | sort
}

backend_of_venv() { KAFKACODEC_BACKEND=auto "$VENV/bin/python" -c 'import kafkacodec; print(kafkacodec.backend)' 2>>"$LOG"; }

install_project() {
    PYTHON_FOUND=$(choose_python) || exit 1
    if ! "$VENV/bin/python" -c '' 2>/dev/null; then
        say "making .venv with $("$PYTHON_FOUND" -V 2>&1) ($PYTHON_FOUND)"
        "$PYTHON_FOUND" -m venv --clear "$VENV" || die "$PYTHON_FOUND -m venv failed"
    fi
    : >"$LOG"
    have_compiler || apt_install gcc libc6-dev || say "no C compiler was found"
    say "upgrading pip"
    pip_install --upgrade pip
    say "building kafkacodec and installing what it needs (PySpark is about 450 MB: some minutes the first time)"
    # shellcheck disable=SC2086
    pip_install --verbose --editable "$WHAT" $GROUPS_ARGS
    backend=$(backend_of_venv) || die "kafkacodec was installed but does not import; the log is $LOG"
    say "kafkacodec's backend is $backend"
    if [ "$backend" = pure ]; then
        printf '%s\n' "******************************************************************************" \
            "The native backend was NOT built (a C compiler and Python's headers are needed)." \
            "The pure-Python backend gives the same answers, many times slower. What the build said: $LOG" \
            "******************************************************************************" >&2
        [ "$REQUIRE_ALL" != 1 ] || die "KAFKACODEC_REQUIRE_ALL=1 wants the native backend; the log is $LOG"
    fi
}

# --- the work -----------------------------------------------------------------------------------------------------
STAMP=$VENV/stamp-$MODE
[ "$MODE" = demo ] && [ -f "$VENV/stamp-dev" ] && STAMP=$VENV/stamp-dev # dev holds all that demo needs
now=$(fingerprint)
if [ ! -f "$STAMP" ] || [ "$now" != "$(cat "$STAMP")" ]; then
    echo "Setting up kafkacodec in .venv"
    rm -f "$VENV"/stamp-*
    install_project
    printf '%s\n' "$now" >"$VENV/stamp-$MODE"
fi

if [ ! -f "$VENV/environment" ] || ! (. "$VENV/environment" && [ -x "${JAVA_HOME:-}/bin/java" ]); then
    if home=$(choose_java); then
        say "Java for Spark: $home"
        printf "export JAVA_HOME='%s'\nexport PYSPARK_PYTHON='%s'\n" "$home" "$VENV/bin/python" >"$VENV/environment"
    else
        missing="Spark needs a Java runtime, version 17 or newer (a full one, with the module jdk.incubator.vector), and none was found.
Install one (Debian: apt-get install openjdk-17-jre-headless; Fedora: dnf install java-21-openjdk-headless; macOS: brew install openjdk@21) or set JAVA_HOME."
        { [ "$MODE" != demo ] && [ "$REQUIRE_ALL" != 1 ]; } || die "$missing"
        printf "export PYSPARK_PYTHON='%s'\n" "$VENV/bin/python" >"$VENV/environment"
        say "$missing"
        say "Going on without: the tests that start Spark or Kafka are left out."
    fi
fi
