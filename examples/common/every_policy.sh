# every_policy.sh: for the tests that run an example under every policy; they source it.
#
# every_policy XYLEM OUTSIDE CHECK calls CHECK for each policy that `xylem run --policy help` lists,
# and for the one in the file OUTSIDE if that is built, on a synthetic machine of two nodes and on this
# one. CHECK gets no arguments; it calls on_policy with a program and its arguments, and says $where
# if something is wrong. Time slices are short, so that small programs have several. $folder is a
# folder for files, which goes with the test.

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

die() {
  echo "$*" >&2
  exit 1
}

# The program's output; its exit code. Dies if the runtime had another policy.
on_policy() {
  OMP_DISPLAY_ENV=verbose "$xylem" run --quiet --policy "$policy" ${machine:+--machine "$machine"} \
    -- "$@" 2>"$folder/errors" || {
    cat "$folder/errors" >&2
    return 1
  }
  grep -q "XYLEM_POLICY = '$policy'" "$folder/errors" || die "$where: not the policy that ran"
}

every_policy() {
  xylem=$1
  policies=$("$xylem" run --policy help | awk '$1 !~ /\// { print $1 }')
  case " $(echo "$policies" | tr '\n' ' ')" in
    *" cache "*" gang "*) ;;
    *) die "xylem run --policy help lists '$policies', expected at least cache and gang" ;;
  esac
  if [ -f "$2" ]; then policies="$policies $2"; else echo "$2 is not built: left out"; fi
  export XYLEM_TIME_SLICE=1
  for policy in $policies; do
    for machine in "node:2 core:2 pu:1" ""; do
      where="$policy on ${machine:-this machine}"
      "$3"
    done
  done
  # shellcheck disable=SC2086  # words on purpose
  echo "the same under" $policies
}
