/**
 * Demand over a few days, as a negative binomial with a given mean and size k: retail counts scatter more than
 * Poisson. Variance is mean + mean² / k. Everything by recursion from zero, so no library and no table.
 */

const NOTHING = 1e-9

/** P(demand = 0); the recursions below start here. */
function atZero(mean: number, size: number): number {
  const p = size / (size + mean)
  // Whole sizes are the usual ones, and a general power costs more than the rest of the recursion.
  if (size === 4) return p * p * p * p
  return p ** size
}

/** The smallest x with P(demand <= x) >= level. Never above `limit`: callers cap the answer anyway. */
export function quantile(mean: number, level: number, size: number, limit = Infinity): number {
  if (mean <= NOTHING) return 0
  const reach = Math.trunc(mean + 12 * Math.sqrt(mean + (mean * mean) / size) + 12)
  const end = Math.min(reach, limit)
  const ratio = mean / (size + mean)
  let p = atZero(mean, size)
  let cumulated = 0
  for (let x = 0; x < end; x++) {
    cumulated += p
    if (cumulated >= level - 1e-12) return x
    p *= ((x + size) / (x + 1)) * ratio
  }
  return end
}

/** E[(demand - stock)+]: units expected to be asked for in vain. */
export function expectedLoss(mean: number, stock: number, size: number): number {
  if (mean <= NOTHING) return 0
  const ratio = mean / (size + mean)
  let p = atZero(mean, size)
  let cumulated = 0
  let loss = mean
  for (let x = 0; x < stock; x++) {
    cumulated += p
    if (cumulated >= 1) break
    loss -= 1 - cumulated
    p *= ((x + size) / (x + 1)) * ratio
  }
  return Math.max(0, loss)
}
