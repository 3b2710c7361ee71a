/* The whole memory API once; every_call.sh runs it with another call failing each time. Exit code
 * 77 where the library is none of ours. */
#include "whole_api.h"

int main(void) {
  if (!xylem_node_count) return 77;
  use_whole_api();
  return expect_result();
}
