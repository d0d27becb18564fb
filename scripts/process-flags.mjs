// Settings of the service's process. They only apply at process start, so bin/vendops.js re-executes itself with them.
// Each was measured alone with `npm run bench -- memory`; a setting without a measured gain does not belong here.

/** For V8. */
export const NODE_FLAGS = [
  // A young generation of 2 MB instead of 16. With 4 MB and MALLOC_ARENA_MAX below: 54 MB less. With 2 MB: 126 instead of
  // 134 MB, at the same CPU time (45.3 and 44.5 s instead of 45.9 and 43.8 for 100,000 requests).
  '--max-semi-space-size=2',
  // Collects the old generation before it has grown by more than 15 %: peak of 128 instead of 139 MB (medians of 5 runs).
  '--heap-growing-percent=15',
  // Disables the baseline compiler (Sparkplug): peak of 134 instead of 139 MB (medians of 5 runs).
  '--no-sparkplug',
]

/** For glibc's malloc. */
export const MALLOC_ENV = {
  // One arena instead of one per thread.
  MALLOC_ARENA_MAX: '1',
}
