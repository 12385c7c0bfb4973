# SPDX-License-Identifier: Apache-2.0
# What the cases under tests/cli can use besides plain sh; tests/cli/run reads it before each `cmd`.

scarce() { "$SCARCE" "$@"; }

# fails <code> <command...>: the command must end with that exit code; the case goes on.
fails()
{
    want_=$1
    shift
    got_=0
    "$@" || got_=$?
    [ "$got_" -eq "$want_" ] && return
    echo "exit code $got_, want $want_: $*" >&2
    return 1
}

# absent <path...>: none of these may exist, e.g. after a command that failed.
absent()
{
    for path_ in "$@"; do
        [ ! -e "$path_" ] && continue
        echo "$path_ should not be there" >&2
        return 1
    done
}

# small_disk <folder> <size>: makes the folder a file system of that size ("64k"); the case is skipped
# where mounting isn't allowed. A stream alone can be tested everywhere: scarce ... > /dev/full
small_disk()
{
    mkdir -p "$1"
    [ -n "$MAY_MOUNT" ] && mount -t tmpfs -o "size=$2" tmpfs "$1" 2> /dev/null && return
    echo "skipped: no file system can be mounted here" >&2
    exit 77
}
