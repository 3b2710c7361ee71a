/* Random graphs of tasks with dependences of every kind, against a serial replay: each task must
 * begin after all that it depends on have ended, and read what a serial run reads. */
#include <omp.h>

#include "expect.h"

enum kind { reads, writes, excludes, unordered, kinds }; /* in, inout, mutexinoutset, inoutset */
enum { variables = 6, tasks = 160, most_items = 3 };

struct node {
  int items, variable[most_items];
  enum kind kind[most_items];
  int all_memory, deferred, with_child;
  long seen[most_items], begin, end;
};

static struct node nodes[tasks];
static long value[variables];
static omp_depend_t object[variables][kinds];
static long clock_ticks;

static long tick(void) { return __atomic_add_fetch(&clock_ticks, 1, __ATOMIC_SEQ_CST); }

static unsigned next_random(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/* One step of task i on its item k; the same in the replay. */
static void touch(int i, int k) {
  struct node* node = &nodes[i];
  long* word = &value[node->variable[k]];
  switch (node->kind[k]) {
    case reads:
      node->seen[k] = *word;
      break;
    case writes:
      node->seen[k] = *word;
      *word = *word * 31 + i;
      break;
    case excludes:
      *word += i; /* one at a time */
      break;
    default:
      __atomic_fetch_add(word, 7 * i, __ATOMIC_RELAXED);
  }
}

static void run(int i) {
  struct node* node = &nodes[i];
  node->begin = tick();
  if (node->all_memory) {
    for (int v = 0; v < variables; v++) value[v] = value[v] * 3 + i;
  } else {
    for (int k = 0; k < node->items; k++) touch(i, k);
  }
  if (node->with_child) {
    int done = 0;
#pragma omp task shared(done)
    done = 1;
#pragma omp taskwait
    expect_equal("the child of a task", done, 1);
  }
  node->end = tick();
}

static void make_graph(unsigned seed) {
  unsigned state = seed;
  for (int i = 0; i < tasks; i++) {
    struct node* node = &nodes[i];
    *node = (struct node){.items = 1 + (int)(next_random(&state) % most_items)};
    const int first = (int)(next_random(&state) % variables);
    for (int k = 0; k < node->items; k++) {
      node->variable[k] = (first + 2 * k) % variables; /* three that differ */
      node->kind[k] = (enum kind)(next_random(&state) % kinds);
    }
    node->all_memory = next_random(&state) % 23 == 0;
    node->deferred = next_random(&state) % 11 != 0;
    node->with_child = next_random(&state) % 5 == 0;
  }
}

static void submit(int i) {
  const struct node* node = &nodes[i];
  const int deferred = node->deferred;
  omp_depend_t a = object[node->variable[0]][node->kind[0]];
  omp_depend_t b = object[node->variable[1]][node->kind[1]];
  omp_depend_t c = object[node->variable[2]][node->kind[2]];
  if (node->all_memory) {
#pragma omp task depend(inout : omp_all_memory) if (deferred)
    run(i);
  } else if (node->items == 1) {
#pragma omp task depend(depobj : a) if (deferred)
    run(i);
  } else if (node->items == 2) {
#pragma omp task depend(depobj : a, b) if (deferred)
    run(i);
  } else {
#pragma omp task depend(depobj : a, b, c) if (deferred)
    run(i);
  }
}

static int unlike(const struct node* one, int k, const struct node* other, int m) {
  return one->variable[k] == other->variable[m] &&
         (one->kind[k] != other->kind[m] || one->kind[k] == writes);
}

static int excluding(const struct node* one, int k, const struct node* other, int m) {
  return one->variable[k] == other->variable[m] && one->kind[k] == excludes &&
         other->kind[m] == excludes;
}

static int related(const struct node* one, const struct node* other,
                   int (*by)(const struct node*, int, const struct node*, int)) {
  for (int k = 0; k < one->items; k++)
    for (int m = 0; m < other->items; m++)
      if (by(one, k, other, m)) return 1;
  return 0;
}

static void check_order(void) {
  for (int j = 0; j < tasks; j++) {
    for (int i = 0; i < j; i++) {
      const struct node *early = &nodes[i], *late = &nodes[j];
      if (early->all_memory || late->all_memory || related(early, late, unlike))
        expect_equal("a task began before one that it depends on ended", late->begin < early->end,
                     0);
      else if (related(early, late, excluding))
        expect_equal("two of a mutexinoutset ran at once",
                     late->begin < early->end && early->begin < late->end, 0);
    }
  }
}

static void check_values(void) {
  static struct node ran[tasks];
  long after[variables];
  for (int i = 0; i < tasks; i++) ran[i] = nodes[i];
  for (int v = 0; v < variables; v++) {
    after[v] = value[v];
    value[v] = 1;
  }
  for (int i = 0; i < tasks; i++) {
    nodes[i].with_child = 0;
    run(i);
    for (int k = 0; k < ran[i].items && !ran[i].all_memory; k++)
      expect_equal("what a task read", ran[i].seen[k], nodes[i].seen[k]);
  }
  for (int v = 0; v < variables; v++) expect_equal("a variable at the end", after[v], value[v]);
}

int main(int argc, char** argv) {
  const int graphs = argc > 1 ? atoi(argv[1]) : 40;
  for (int v = 0; v < variables; v++) {
#pragma omp depobj(object[v][reads]) depend(in : value[v])
#pragma omp depobj(object[v][writes]) depend(inout : value[v])
#pragma omp depobj(object[v][excludes]) depend(mutexinoutset : value[v])
#pragma omp depobj(object[v][unordered]) depend(inoutset : value[v])
  }
  for (int graph = 0; graph < graphs; graph++) {
    make_graph(12345u + (unsigned)graph * 7919u);
    for (int v = 0; v < variables; v++) value[v] = 1;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < tasks; i++) submit(i);
    check_order();
    check_values();
  }
  for (int v = 0; v < variables; v++)
    for (int k = 0; k < kinds; k++) {
#pragma omp depobj(object[v][k]) destroy
    }
  return expect_result();
}
