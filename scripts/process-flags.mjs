// Settings of the service's process. They only apply at process start, so bin/vendops.js re-executes itself with them.
// Each was measured alone with `npm run bench -- memory`; a setting without a measured gain does not belong here.

/** For V8. */
export const NODE_FLAGS = [
  // A young generation of 2 MB instead of 16. With 4 MB and MALLOC_ARENA_MAX below: 54 MB less. With 2 MB instead of 4, on a
  // busy machine: 126 instead of 134 MB, at the same CPU time.
  '--max-semi-space-size=2',
  // Collects the old generation before it has grown by more than 15 %: peak of 128 instead of 139 MB (medians of 5 runs).
  '--heap-growing-percent=15',
  // Disables the baseline compiler (Sparkplug): peak of 134 instead of 139 MB (medians of 5 runs).
  '--no-sparkplug',
  // Disables the compiler between interpreter and TurboFan (Maglev), whose working memory malloc does not return: 121 instead
  // of 135 MB, and a peak of 127 instead of 140, for about 3 % more CPU per request.
  '--no-maglev',
]

/** For glibc's malloc. */
export const MALLOC_ENV = {
  // One arena instead of one per thread: 117 MB at the end instead of 122 and 138, peaks of 120 and 121 instead of 123 and 138
  // (2 runs each).
  MALLOC_ARENA_MAX: '1',
  // Returns free memory at the end of the heap above 128 KB. Without it that limit grows to twice the largest block ever
  // freed, here the compile cache: peak of 119 instead of 125 MB, 118 instead of 120 at the end (medians of 3 runs).
  MALLOC_TRIM_THRESHOLD_: '131072',
}
