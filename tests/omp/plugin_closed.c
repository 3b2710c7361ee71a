/* A program without OpenMP opens a plugin that brings the runtime, uses it, closes it, and lives
 * on; and again. The runtime's kernel threads, which nobody ends, must still have their code. */
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include "expect.h"

enum { rounds = 5, members_unless_told = 4 };

static void* use_plugin(void* file) {
  void* plugin = dlopen(file, RTLD_NOW);
  if (!plugin) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  int (*members_of_a_region)(int);
  *(void**)&members_of_a_region = dlsym(plugin, "members_of_a_region");
  const int members = expect_members(members_unless_told);
  expect_equal("members", members_of_a_region(members), members);
  dlclose(plugin);
  return NULL;
}

int main(int count, char** words) {
  if (count != 2) return 2;
  for (int round = 0; round < rounds; round++) {
    use_plugin(words[1]);
    usleep(60000); /* workers and the monitor go to sleep, or look again */
    pthread_t thread;
    pthread_create(&thread, NULL, use_plugin, words[1]);
    pthread_join(thread, NULL);
    usleep(5000);
  }
  return expect_result();
}
