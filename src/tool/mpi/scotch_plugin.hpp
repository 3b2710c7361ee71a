// The seam to libxylem-scotch.so, the only part of Xylem that is linked with SCOTCH.
//
// The command loads it when ranks are to be placed, and not at all otherwise: neither the runtime
// nor `xylem run` pays for SCOTCH. C types only, as the plug-in may be another build's.
#pragma once

extern "C" {

// A machine's tree with the same number of children at each level, and who talks to whom.
struct XylemScotchJob {
  int levels;          // >= 1
  const int* arities;  // children a level from the root down, each >= 2
  const int* costs;    // of the link above a level's children, > 0
  int ranks;           // >= 1
  const int* begin;    // ranks + 1: rank r's partners are partner[begin[r]] .. [begin[r + 1]]
  const int* partner;  // each pair stands at both
  const int* weight;   // > 0
  int* place;          // out, ranks: the leaf of each, from left to right
  char* trouble;       // out: why it failed
  unsigned trouble_size;
};

// 0, or -1 with `trouble` written. Static mapping by dual recursive bipartitioning.
int xylem_scotch_map(const XylemScotchJob* job);
}
