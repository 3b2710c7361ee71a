/* Random tasks on a few variables, compared with the same in the order of submission: what each
 * task reads must be what a serial run reads. */
#include "check.h"

enum { variables = 8, tasks = 4000, most_used = 3 };

typedef struct {
  int number; /* of the task */
  int used;
  int writes[most_used];
  long expected[most_used]; /* what it reads */
} step;

static int run(const xylem_view* views, void* argument) {
  const step* s = argument;
  for (int i = 0; i < s->used; ++i) {
    long* value = views[i].data;
    if (*value != s->expected[i]) {
      fprintf(stderr, "task %d reads %ld, not %ld\n", s->number, *value, s->expected[i]);
      return 1;
    }
    if (s->writes[i]) *value = s->number * 10 + i;
  }
  return 0;
}

static xylem_codelet codelets[1 << most_used][most_used + 1]; /* by who writes, and uses */

static void make_codelets(void) {
  for (int mask = 0; mask < 1 << most_used; ++mask)
    for (int used = 0; used <= most_used; ++used) {
      xylem_codelet* c = &codelets[mask][used];
      c->cpu = run;
      c->accesses = used;
      for (int i = 0; i < used; ++i) c->modes[i] = mask >> i & 1 ? xylem_read_write : xylem_read;
    }
}

static void one_round(unsigned seed) {
  long memory[variables];
  long serial[variables];
  xylem_data* data[variables];
  for (int v = 0; v < variables; ++v) {
    memory[v] = serial[v] = -v;
    data[v] = xylem_data_variable(&memory[v], sizeof memory[v]);
    CHECK(data[v]);
  }
  xylem_task* last = NULL;
  for (int t = 1; t <= tasks; ++t) {
    step s = {.number = t};
    int mask = 0;
    xylem_data* used[most_used];
    int first = (int)(next_random(&seed) % variables);
    s.used = (int)(next_random(&seed) % (most_used + 1));
    for (int i = 0; i < s.used; ++i) {
      int v = (first + i * 3) % variables;
      used[i] = data[v];
      s.expected[i] = serial[v];
      s.writes[i] = next_random(&seed) % 3 == 0;
      mask |= s.writes[i] << i;
      if (s.writes[i]) serial[v] = t * 10 + i;
    }
    xylem_task_options options = {.data = used,
                                  .argument = &s,
                                  .argument_bytes = sizeof s,
                                  .priority = (int)(next_random(&seed) % 30) - 15};
    if (last && t % 7 == 0) {
      options.after = &last;
      options.after_count = 1;
    }
    xylem_task* task = NULL;
    CHECK(xylem_submit(&codelets[mask][s.used], &options, &task) == 0);
    if (last) xylem_task_release(last);
    last = task;
    if (t % 500 == 0) { /* the program looks between */
      int v = t / 500 % variables;
      CHECK(xylem_data_acquire(data[v], xylem_read_write) == 0);
      CHECK(memory[v] == serial[v]);
      serial[v] = ++memory[v];
      CHECK(xylem_data_release(data[v]) == 0);
    }
  }
  CHECK(xylem_task_wait(last) == 0);
  CHECK(xylem_wait_all() == 0);
  for (int v = 0; v < variables; ++v) {
    CHECK(xylem_data_unregister(data[v]) == 0);
    CHECK(memory[v] == serial[v]);
  }
}

int main(int argc, char** argv) {
  choose_policy(argc, argv);
  make_codelets();
  for (unsigned seed = 1; seed <= 10; ++seed) one_round(seed);
  return 0;
}
