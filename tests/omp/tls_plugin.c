/* A shared object with thread-local data, for tls_dlopen: plugin_add returns this thread's running
 * total, starting at 100. */
static __thread int total = 100;
static __thread char block[20000];

int plugin_add(int value) {
  block[(unsigned)total % sizeof block] = 1;
  return total += value;
}
