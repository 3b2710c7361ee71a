/* Fills the memory of one node, then asks for more of it: blocks come from other nodes, moves there
 * move what fits and say how many, next touch leaves pages where they are; no byte is lost. When
 * room is made, blocks are on the node again. */
#include "../fail/whole_api.h"

enum { blocks_at_most = 512, block_pages = 256, full_node = 2 };

static char* blocks[blocks_at_most];
static int count;

static size_t block_bytes(void) { return block_pages * whole_page(); }

static int pages_on_node(const char* block) {
  int nodes[block_pages], there = 0;
  if (xylem_memory_locate(block, block_bytes(), nodes) != 0) return -1;
  for (int i = 0; i < block_pages; i++) there += nodes[i] == full_node;
  return there;
}

/* Until two blocks in a row did not come to lie there whole. */
static void fill(void) {
  for (int elsewhere = 0; count < blocks_at_most && elsewhere < 2; count++) {
    blocks[count] = xylem_malloc_on_node(block_bytes(), full_node);
    expect_true("a block although its node may be full", blocks[count] != NULL);
    if (blocks[count] == NULL) return;
    whole_fill(blocks[count], block_bytes(), count);
    elsewhere = pages_on_node(blocks[count]) == block_pages ? 0 : elsewhere + 1;
  }
  expect_true("the node has become full", count < blocks_at_most);
  expect_true("the first block is there", pages_on_node(blocks[0]) == block_pages);
}

static void expect_all(const char* what) {
  for (int i = 0; i < count; i++) whole_expect(what, blocks[i], block_bytes(), i);
}

static void move_there(void) {
  char* last = blocks[count - 1];
  size_t moved = 0;
  int before = pages_on_node(last);
  int error = xylem_memory_move(last, block_bytes(), full_node, &moved);
  whole_expect_error("xylem_memory_move to a full node", error);
  expect_equal("pages that moved", (long long)moved, pages_on_node(last) - before);
  if (xylem_memory_move_on_next_touch)
    whole_expect_error("a mark", xylem_memory_move_on_next_touch(last, block_bytes()));
}

int main(void) {
  if (!xylem_node_count || !xylem_malloc_on_node || !xylem_memory_move) return 77;
  if (xylem_node_count() <= full_node) return 77;
  fill();
  expect_all("data on a full node");
  if (expect_failures) return expect_result();
  move_there();
  expect_all("data that could not move");
  use_whole_api();
  expect_all("data while all else went on");
  for (int i = 0; i < count; i++) xylem_free(blocks[i]);
  char* block = xylem_malloc_on_node(block_bytes(), full_node);
  if (block != NULL) whole_fill(block, block_bytes(), 1);
  expect_equal("pages there when there is room again", block ? pages_on_node(block) : -1,
               block_pages);
  xylem_free(block);
  return expect_result();
}
