// How a metered program talks to the coherence meter: by stores into a page at a fixed address,
// which cost a store each where no meter is. A store at `meter_switch + 1` begins the counting, one
// at `meter_switch + 0` ends it; a store at `meter_nodes + n` says that the kernel thread which
// stores runs on memory node n.
#pragma once

#define METER_PAGE 0x200000000000UL
#define METER_SWITCH 0    // offsets into the page
#define METER_NODES 1024  // of up to 1024 nodes
#define METER_SIZE 4096
