// Settings of the service's process. They only apply at process start, so bin/vendops.js re-executes itself with them.
// Each was measured alone with `npm run bench -- memory`; a setting without a measured gain does not belong here.

/** For V8. */
export const NODE_FLAGS = [
  // A young generation of 4 MB instead of 16.
  '--max-semi-space-size=4',
]

/** For glibc's malloc. */
export const MALLOC_ENV = {
  // One arena instead of one per thread; with the flag above, 54 MB less.
  MALLOC_ARENA_MAX: '1',
}
