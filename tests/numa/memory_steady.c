/* memory_steady TURNS STOP: uses the whole memory API turn after turn, and keeps blocks on every
 * node from the first turn to the last, until the file STOP is there; the number of turns so far is
 * in the file TURNS. Exit code 0 when no byte was lost in any turn. Scripts change the machine
 * meanwhile (steady.sh). */
#include "../fail/whole_api.h"
#include "turns.h"

enum { kept_pages = 100, nodes_at_most = 64 };

static void* kept[nodes_at_most];
static int kept_count;

static size_t kept_bytes(void) { return kept_pages * whole_page(); }

static void keep_blocks(void) {
  for (int node = 0; node < xylem_node_count() && node < nodes_at_most; node++) {
    void* block = xylem_malloc_on_node(kept_bytes(), node);
    expect_true("a block to keep", block != NULL);
    if (block == NULL) continue;
    whole_fill(block, kept_bytes(), node);
    kept[kept_count++] = block;
  }
}

/* They go round the nodes, and by the touches of a team. */
static void move_blocks(int turn) {
  for (int i = 0; i < kept_count; i++) {
    whole_expect("a kept block", kept[i], kept_bytes(), i);
    if (turn % 2) {
      xylem_memory_move(kept[i], kept_bytes(), (turn + i) % kept_count, NULL);
    } else if (xylem_memory_move_on_next_touch) {
      xylem_memory_move_on_next_touch(kept[i], kept_bytes());
    }
  }
#pragma omp parallel for
  for (int i = 0; i < kept_count; i++) whole_expect("a block that moved", kept[i], kept_bytes(), i);
}

int main(int count, char** words) {
  if (count != 3) return 2;
  if (!xylem_node_count || !xylem_malloc_on_node || !xylem_memory_move) return 77;
  keep_blocks();
  for (int turn = 1; access(words[2], F_OK) != 0 && expect_failures == 0; turn++) {
    move_blocks(turn);
    use_whole_api();
    tell(words[1], turn);
  }
  for (int i = 0; i < kept_count; i++) xylem_free(kept[i]);
  return expect_result();
}
