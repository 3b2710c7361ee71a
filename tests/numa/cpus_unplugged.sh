#!/bin/sh
# cpus_unplugged.sh steady.sh PROGRAM: processors go away and come back under a running program: one,
# all of a node, all but two of the machine.
. "$1"
cpus=/sys/devices/system/cpu

set_online() { # 0 or 1, cpu...
  to=$1
  shift
  for cpu in "$@"; do
    echo "$to" >$cpus/cpu$cpu/online || { echo "FAIL: cpu $cpu: online does not take $to" >&2; exit 1; }
  done
  echo "online: $(cat $cpus/online)"
}

steady_begin "$2"
set_online 0 5
steady_goes_on "processor 5 is gone"
set_online 0 12 13 14 15
steady_goes_on "node 3 has no processors left"
set_online 0 2 3 4 6 7 8 9 10 11
[ "$(cat $cpus/online)" = 0-1 ] || exit 1
steady_goes_on "two processors are left"
set_online 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
[ "$(cat $cpus/online)" = 0-15 ] || exit 1
steady_goes_on "all are back"
steady_end
