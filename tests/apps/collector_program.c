// A program on the Boehm collector: threads of one team after another build trees, lists and tables
// in the collected heap, known to nobody but their own stacks and registers, while others make the
// collector run. Then they check what they built.
//
//     collector_program THREADS REGIONS
//
// Threads register themselves as the collector's manual says for threads that it did not start;
// each once, since the runtime keeps its threads. Prints sums that any two right runs have in
// common.
#define GC_THREADS
#include <gc/gc.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tree {
  struct tree *left, *right;
  uint64_t key, check;
};

struct word {
  struct word* next;
  char* text;
};

enum { buckets = 61, depth = 9, words = 300 };

struct table {
  struct word* bucket[buckets];
};

static int registered, collected;

static uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  return x ^ (x >> 29);
}

static void* must(void* block) {
  if (block) return block;
  fprintf(stderr, "the collector has no memory left\n");
  abort();
}

static struct tree* grow(int levels, uint64_t key) {
  if (levels == 0) return NULL;
  struct tree *left = grow(levels - 1, 2 * key), *right = grow(levels - 1, 2 * key + 1);
  struct tree* tree = must(GC_MALLOC(sizeof *tree));
  *tree = (struct tree){left, right, key, mixed(key)};
  return tree;
}

static uint64_t sum_of(const struct tree* tree, uint64_t key) {
  if (!tree) return 0;
  if (tree->key != key || tree->check != mixed(key)) {
    fprintf(stderr, "a tree was collected or overwritten: key %llu\n", (unsigned long long)key);
    abort();
  }
  return tree->check + sum_of(tree->left, 2 * key) + sum_of(tree->right, 2 * key + 1);
}

static void add_word(struct table* table, uint64_t number) {
  struct word* word = must(GC_MALLOC(sizeof *word));
  word->text = must(GC_MALLOC_ATOMIC(24));
  snprintf(word->text, 24, "%llu", (unsigned long long)number);
  struct word** bucket = &table->bucket[number % buckets];
  word->next = *bucket;
  *bucket = word;
}

static uint64_t sum_of_words(const struct table* table) {
  uint64_t sum = 0;
  for (int b = 0; b < buckets; b++)
    for (const struct word* word = table->bucket[b]; word; word = word->next) {
      const uint64_t number = strtoull(word->text, NULL, 10);
      if (number % buckets != (uint64_t)b) {
        fprintf(stderr, "a word was collected or overwritten: '%s'\n", word->text);
        abort();
      }
      sum += number;
    }
  return sum;
}

static void join_in(void) {
  struct GC_stack_base base;
  if (GC_get_stack_base(&base) != GC_SUCCESS) abort();
  if (GC_register_my_thread(&base) == GC_SUCCESS) {
#pragma omp atomic
    registered++;
  }
}

static void note_end(void* block, void* unused) {
  (void)block;
  (void)unused;
#pragma omp atomic
  collected++;
}

// One thread's share of a region: garbage beside what must stay, over all the ways to wait.
static uint64_t share(int me, int region, uint64_t* shared) {
  const uint64_t seed = (uint64_t)me + 1;
  struct tree* tree = grow(depth, seed);
  struct table* table = must(GC_MALLOC(sizeof *table));
  for (int i = 0; i < words; i++) {
    add_word(table, mixed(seed * words + (uint64_t)i) >> 8);
    if (i % 32 == 0) grow(5, seed);
    if (i % 100 == 50) {
#pragma omp critical
      *shared += sum_of(tree->left, 2 * seed) & 0xff;
    }
  }
  void* last = GC_MALLOC(16);
  GC_register_finalizer(last, note_end, NULL, NULL, NULL);
  last = NULL;
#pragma omp barrier
  if (me == region % omp_get_num_threads()) GC_gcollect();
  tree->right = grow(depth - 1, 2 * seed + 1);
#pragma omp barrier
  return sum_of(tree, seed) + sum_of_words(table);
}

int main(int argc, char** argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 8, regions = argc > 2 ? atoi(argv[2]) : 20;
  GC_INIT();
  GC_allow_register_threads();
  uint64_t total = 0, shared = 0;
  struct tree* kept = grow(12, 1);
  for (int region = 0; region < regions; region++) {
#pragma omp parallel num_threads(threads) reduction(+ : total)
    {
      join_in();
      total += share(omp_get_thread_num(), region, &shared);
    }
  }
  printf("team %d, sums %llu %llu %llu\n", threads, (unsigned long long)total,
         (unsigned long long)shared, (unsigned long long)sum_of(kept, 1));
  const int made = threads * regions;
  fprintf(stderr, "registered %d, collected %d of %d, %lu collections\n", registered, collected,
          made, (unsigned long)GC_get_gc_no());
  return registered <= threads && collected > made / 2 ? 0 : 1;
}
