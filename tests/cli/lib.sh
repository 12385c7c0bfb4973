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

# refused <code> <arguments of scarce...>: wrong use or bad data. The program must end with that exit code,
# complain in one line on stderr that begins with its name (the last; what it understood of the data may stand
# before it), say nothing on stdout, and leave no file behind. The line is printed, so that the case's `stdout`
# holds it. Standard input is passed on.
refused()
{
    want_=$1
    shift
    ls -A > "$BOX/before"
    got_=0
    "$SCARCE" "$@" > "$BOX/refused.out" 2> "$BOX/refused.err" || got_=$?
    ls -A > "$BOX/after"
    if grep -qE 'Sanitizer|runtime error:' "$BOX/refused.err"; then cat "$BOX/refused.err" >&2; return 1; fi
    echo "[$got_] $(tail -n 1 "$BOX/refused.err")"
    if [ "$got_" -ne "$want_" ]; then echo "exit code $got_, want $want_: scarce $*" >&2; return 1; fi
    if [ "$(grep -c '^scarce' "$BOX/refused.err")" -ne 1 ] || ! tail -n 1 "$BOX/refused.err" | grep -q '^scarce' ||
        grep -vqE '^(scarce|label |left out: |warning: |ignored as asked: |[0-9,]+ rows? without label)' "$BOX/refused.err"; then
        echo "not one line: scarce $*" >&2
        return 1
    fi
    if [ -s "$BOX/refused.out" ]; then echo "something on stdout: scarce $*" >&2; return 1; fi
    if ! cmp -s "$BOX/before" "$BOX/after"; then echo "a file was left: scarce $*" >&2; return 1; fi
}

# json [PATH...] < document: exactly one JSON document; prints what is at the paths (see json_check.c).
json() { "$JSON_CHECK" "$@"; }

# same <file> <file>: the same bytes.
same()
{
    cmp "$1" "$2" && return
    echo "$1 and $2 differ" >&2
    return 1
}

# metric <name>: of the table of scarce eval on standard input.
metric() { awk -v name="$1" '$1 == name { print $2 }'; }

# near <a> <b> <tolerance>: two numbers.
near()
{
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; exit !(a != "" && b != "" && d <= t && d >= -t) }' && return
    echo "$1 is not $2 (within $3)" >&2
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
