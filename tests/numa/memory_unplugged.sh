#!/bin/sh
# memory_unplugged.sh steady.sh PROGRAM: the memory of node 3 goes away and comes back under a running
# program that has pages there.
. "$1"
node=/sys/devices/system/node/node3
blocks=$(ls -d $node/memory[0-9]* | sed 's|.*/|/sys/devices/system/memory/|')
group=/sys/fs/cgroup/there

pages_there() {
  cat /proc/$steady/numa_maps | tr ' ' '\n' | awk -F= '$1 == "N3" {pages += $2} END {print pages + 0}'
}

set_blocks() { # what to write into their state
  for block in $blocks; do
    until echo $1 >$block/state 2>/dev/null; do # busy while a page of it is in use by the kernel
      steady_runs || steady_end
      usleep 50000
    done
  done
  echo "nodes with memory: $(cat /sys/devices/system/node/has_memory)"
}

# Born on node 3, so that its first touches are there.
mkdir $group && echo 12-15 >$group/cpuset.cpus && echo 2-3 >$group/cpuset.mems || exit 1
(echo 0 >$group/cgroup.procs; exec "$2" $turns $stop) &
steady=$!
steady_first_turn
echo $steady >/sys/fs/cgroup/cgroup.procs
echo "pages on node 3: $(pages_there)"
[ "$(pages_there)" -gt 0 ] || exit 1
set_blocks offline
[ "$(cat /sys/devices/system/node/has_memory)" = 0-2 ] || exit 1
[ "$(pages_there)" -eq 0 ] || exit 1
steady_goes_on "node 3 has no memory left"
set_blocks online_movable
[ "$(cat /sys/devices/system/node/has_memory)" = 0-3 ] || exit 1
steady_goes_on "it is back"
steady_end
