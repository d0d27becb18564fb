// How the process of the service is run. All of it trades a little speed of the first minute for memory that is given back;
// docs/performance.md tells what each of them brought.

/** For the engine. */
export const FLAGS = [
  // A small young generation, and an old one that is cleaned soon and returned to the system.
  '--min-semi-space-size=2',
  '--max-semi-space-size=2',
  '--heap-growing-percent=15',
  '--incremental-marking-hard-trigger=50',
  '--optimize-for-size',
  // Else every cleaning would also throw away compiled code that is needed again at once.
  '--no-flush-bytecode',
  // What compilers need while they work goes back when they are done.
  '--managed-zone-memory',
  '--v8-pool-size=2',
  // Bytes of answers lie outside the heap, and would otherwise pile up until the heap itself is due.
  '--external-memory-accounted-in-global-limit',
]

/** For the allocator of glibc: one arena, and large or freed blocks returned at once instead of kept for later. */
export const ALLOCATOR = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '262144',
  MALLOC_MMAP_THRESHOLD_: '65536',
}
