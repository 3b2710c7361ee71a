// Clang's thread-safety annotations under our names; nothing under other compilers.
//
// Owns: the XYLEM_* annotation macros. Checked by `cmake --preset clang` (-Werror=thread-safety).
#pragma once

#ifdef __clang__
#define XYLEM_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define XYLEM_THREAD_ATTRIBUTE(x)
#endif

// On a class that is a lock, and on one that holds a lock from construction to destruction.
#define XYLEM_CAPABILITY(name) XYLEM_THREAD_ATTRIBUTE(capability(name))
#define XYLEM_SCOPED_CAPABILITY XYLEM_THREAD_ATTRIBUTE(scoped_lockable)
// On a field: only with that lock; or what it points to, only with that lock.
#define XYLEM_GUARDED_BY(lock) XYLEM_THREAD_ATTRIBUTE(guarded_by(lock))
#define XYLEM_POINTEE_GUARDED_BY(lock) XYLEM_THREAD_ATTRIBUTE(pt_guarded_by(lock))
// On a function: the caller holds the lock, does not hold it, or it is taken or left inside.
#define XYLEM_REQUIRES(...) XYLEM_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define XYLEM_EXCLUDES(...) XYLEM_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define XYLEM_ACQUIRE(...) XYLEM_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define XYLEM_RELEASE(...) XYLEM_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define XYLEM_TRY_ACQUIRE(...) XYLEM_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
#define XYLEM_ASSERT_HELD(...) XYLEM_THREAD_ATTRIBUTE(assert_capability(__VA_ARGS__))
// On a function that returns a reference to a private lock, for the annotations of who owns it.
#define XYLEM_RETURNS_LOCK(lock) XYLEM_THREAD_ATTRIBUTE(lock_returned(lock))
// On a function whose locking the analysis cannot follow; say why beside it.
#define XYLEM_NO_THREAD_ANALYSIS XYLEM_THREAD_ATTRIBUTE(no_thread_safety_analysis)
