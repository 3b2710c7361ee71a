#!/bin/sh
# costs.sh XYLEM: what access costs is measured between all nodes that can be measured, kept, and read
# again. What the numbers are means nothing here: the processors are emulated.
export XYLEM_COSTS_FILE=/tmp/costs.of.this.machine
fail() {
  echo "FAIL: $1" >&2
  cat /tmp/shown
  exit 1
}

"$1" topo --costs >/tmp/shown || fail "xylem topo --costs ended with $?"
cat /tmp/shown
grep -q 'measured on' /tmp/shown || fail "nothing was measured"
grep -q 'to another node, measured' /tmp/shown || fail "moves were not measured"

# Nodes are those with memory; one without processors is seen beside the nearest, and has its processors.
nodes=0
for node in /sys/devices/system/node/node[0-9]*; do
  grep -q 'MemTotal: *0 kB' $node/meminfo || nodes=$((nodes + 1))
done
pairs=$((nodes * nodes))
grep -qx "pairs $pairs" $XYLEM_COSTS_FILE || fail "not $pairs pairs were measured"
grep -qx "nodes $nodes" $XYLEM_COSTS_FILE || fail "not of $nodes nodes"
grep -qx "streams $nodes" $XYLEM_COSTS_FILE || fail "several threads at once were not measured"
grep -q 'elsewhere *busy' /tmp/shown || fail "nor those that read from other nodes"
before=$(cat $XYLEM_COSTS_FILE)
"$1" topo --costs >/tmp/again || fail "the second time"
cmp /tmp/shown /tmp/again || fail "another answer the second time"
[ "$before" = "$(cat $XYLEM_COSTS_FILE)" ] || fail "measured twice"
