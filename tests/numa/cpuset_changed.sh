#!/bin/sh
# cpuset_changed.sh steady.sh PROGRAM: somebody moves a running program into a cpuset and changes it.
. "$1"
group=/sys/fs/cgroup/steady

restrict() { # processors, nodes
  echo "$1" >$group/cpuset.cpus && echo "$2" >$group/cpuset.mems || exit 1
  [ "$(cat $group/cpuset.cpus.effective) $(cat $group/cpuset.mems.effective)" = "$1 $2" ] || exit 1
  for task in /proc/$steady/task/*; do # all its threads, whatever they were bound to
    grep -q . $task/stat 2>/dev/null || continue
    grep Cpus_allowed_list $task/status
  done | sort | uniq -c
}

steady_begin "$2"
mkdir $group
echo 4-7 >$group/cpuset.cpus && echo 1 >$group/cpuset.mems || exit 1
echo $steady >$group/cgroup.procs || exit 1
steady_goes_on "in a cpuset of node 1"
restrict 0-3 0
steady_goes_on "now node 0 alone"
restrict 9 2-3
steady_goes_on "now one processor, and memory of nodes 2 and 3"
restrict 0-15 0-3
steady_goes_on "the whole machine again"
steady_end
