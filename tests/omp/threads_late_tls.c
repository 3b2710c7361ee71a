/* A library with initial-exec thread-local data that comes late: before the first region, between
 * regions, or while members wait inside one. From then on every member has its own variables,
 * initialised, and the first thread too.
 * Arguments: the library's path, and when it is loaded: `first`, `between`, `inside`, or `often`:
 * many copies of it, one after the other, while the other members open ever deeper teams, so that
 * threads come into being while a library does. */
#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "threads_move.h"

typedef int (*Add)(int);

enum { turns = 20, copies = 24, deepest = 20, most_bytes = 1 << 20 };

static Add add;

static Add open_library(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  return (Add)dlsym(library, "plugin_add");
}

static void load_library(const char* path) { add = open_library(path); }

/* The loader knows a file by its inode: a copy is another library. */
static Add open_copy(const char* path) {
  static char bytes[most_bytes];
  char name[] = "/tmp/xylem-late-tls-XXXXXX";
  int from = open(path, O_RDONLY), to = mkstemp(name);
  if (from < 0 || to < 0) exit(2);
  ssize_t count = read(from, bytes, sizeof bytes);
  if (count <= 0 || write(to, bytes, (size_t)count) != count) exit(2);
  close(from);
  close(to);
  Add its_add = open_library(name);
  unlink(name);
  return its_add;
}

static void use(int already) {
  int me = omp_get_thread_num();
  for (int turn = 1; turn <= turns; turn++) {
    expect_equal("the library's total", add(me + 1), 100 + (me + 1) * (already + turn));
    meet_and_move();
  }
}

static void some_regions(void) {
  for (int region = 0; region < 5; region++) {
#pragma omp parallel num_threads(members)
    meet_and_move();
  }
}

/* Half of the members have waited before the library comes, half have not begun to. */
static void inside_a_region(const char* path) {
#pragma omp parallel num_threads(members)
  {
    meet_and_move();
    if (omp_get_thread_num() == members - 1) load_library(path);
    meet_and_move();
    use(0);
  }
}

static Add added[copies];
static int opened;

static int opened_so_far(void) {
  int seen;
#pragma omp atomic read acquire
  seen = opened;
  return seen;
}

static void look_at_copies(void) {
  int count = opened_so_far();
  for (int i = 0; i < count; i++) expect_equal("a copy's total", added[i](0), 100);
}

/* A chain of teams of two: the deeper, the more threads that were not there before. */
static void nest(int depth) {
#pragma omp parallel num_threads(2)
  {
    look_at_copies();
    if (omp_get_thread_num() == 0 && depth > 0) nest(depth - 1);
  }
}

static void nest_until_all_are_opened(void) {
  for (int depth = 0; opened_so_far() < copies; depth += depth < deepest) nest(depth);
}

static void open_copies(const char* path) {
  for (int i = 0; i < copies; i++) {
    added[i] = open_copy(path);
#pragma omp atomic write release
    opened = i + 1;
#pragma omp taskyield
  }
}

static void often(const char* path) {
  omp_set_max_active_levels(deepest + 2);
#pragma omp parallel num_threads(members)
  {
    meet_and_move();
    if (omp_get_thread_num() == members - 1)
      open_copies(path);
    else
      nest_until_all_are_opened();
    meet_and_move();
    look_at_copies();
  }
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  begin_threads();
  if (strcmp(arguments[2], "often") == 0) {
    often(arguments[1]);
    return expect_result();
  }
  int already = 0;
  if (strcmp(arguments[2], "first") == 0) load_library(arguments[1]);
  some_regions();
  if (strcmp(arguments[2], "between") == 0) load_library(arguments[1]);
  if (strcmp(arguments[2], "inside") == 0) {
    inside_a_region(arguments[1]);
    already = turns;
  }
  for (int region = 0; region < 3; region++, already += turns) {
#pragma omp parallel num_threads(members)
    use(already);
  }
  return expect_result();
}
