// How the process of the service is run. All of it trades a little speed of the first minute for memory that is given back;
// docs/performance.md tells what each of them brought.

/** For the engine. */
export const FLAGS = [
  // A small young generation, and an old one that is cleaned soon.
  '--max-semi-space-size=4',
  '--heap-growing-percent=15',
  // What is free goes back to the system at once, and what compilers needed when they are done.
  '--memory-pool-timeout=0',
  '--managed-zone-memory',
  '--v8-pool-size=2',
  // Code is interpreted until it is worth to be made fast; the step between takes room and saves only at the start.
  '--no-sparkplug',
]

/** For the allocator of glibc: one arena, and large or freed blocks returned at once instead of kept for later. */
export const ALLOCATOR = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '262144',
  MALLOC_MMAP_THRESHOLD_: '65536',
}
