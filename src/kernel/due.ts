/**
 * One rule for everything that waits for a time that is stored. A time that has come is due, and so is one further ahead than
 * the longest wait that can have set it: then the clock was set back, and waiting for it would take as long as it was set
 * back. Pure.
 */
export const isDue = (dueAt: number, now: number, longestWaitMs: number): boolean =>
  dueAt <= now || dueAt > now + longestWaitMs
