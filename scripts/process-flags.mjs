// Settings of the service's process. They only apply at process start, so bin/vendops.js re-executes itself with them.
// Each was measured alone with `npm run bench -- memory`; a setting without a measured gain does not belong here.

/** For V8. */
export const NODE_FLAGS = [
  // A young generation of 4 MB instead of 16. With MALLOC_ARENA_MAX below: 54 MB less.
  '--max-semi-space-size=4',
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
