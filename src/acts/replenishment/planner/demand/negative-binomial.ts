/**
 * Demand over a few days as a negative binomial distribution: retail counts vary more than a Poisson distribution does.
 * The variance is mean + mean² / size.
 */

const NEGLIGIBLE_MEAN = 1e-9

/** P(demand = 0), where the recursions below start. */
function probabilityOfZero(mean: number, size: number): number {
  const p = size / (size + mean)
  // The size the planner uses: a general power costs more than the rest of the recursion.
  if (size === 4) return p * p * p * p
  return p ** size
}

/** The smallest x with P(demand <= x) >= level, at most `limit`. */
export function quantile(mean: number, level: number, size: number, limit = Infinity): number {
  if (mean <= NEGLIGIBLE_MEAN) return 0
  const reach = Math.trunc(mean + 12 * Math.sqrt(mean + (mean * mean) / size) + 12)
  const end = Math.min(reach, limit)
  const ratio = mean / (size + mean)
  let p = probabilityOfZero(mean, size)
  let cumulative = 0
  for (let x = 0; x < end; x++) {
    cumulative += p
    if (cumulative >= level - 1e-12) return x
    p *= ((x + size) / (x + 1)) * ratio
  }
  return end
}

/** E[(demand - stock)+]: the units expected to be lost because the slot is empty. */
export function expectedLoss(mean: number, stock: number, size: number): number {
  if (mean <= NEGLIGIBLE_MEAN) return 0
  const ratio = mean / (size + mean)
  let p = probabilityOfZero(mean, size)
  let cumulative = 0
  let loss = mean
  for (let x = 0; x < stock; x++) {
    cumulative += p
    if (cumulative >= 1) break
    loss -= 1 - cumulative
    p *= ((x + size) / (x + 1)) * ratio
  }
  return Math.max(0, loss)
}

/** P(demand > from), P(demand > from + 1) …: that each unit above this stock is asked for. */
export function exceedances(mean: number, from: number, count: number, size: number): number[] {
  if (mean <= NEGLIGIBLE_MEAN) return Array.from({ length: count }, () => 0)
  const ratio = mean / (size + mean)
  const result: number[] = []
  let p = probabilityOfZero(mean, size)
  let cumulative = 0
  for (let x = 0; x < from + count; x++) {
    cumulative += p
    if (x >= from) result.push(Math.max(0, 1 - cumulative))
    p *= ((x + size) / (x + 1)) * ratio
  }
  return result
}

/** E[(demand - stock)+] for a stock of 0, 1, 2 …, until it is negligible. */
export function lossByLevel(mean: number, size: number): number[] {
  if (mean <= NEGLIGIBLE_MEAN) return [0]
  const ratio = mean / (size + mean)
  const result = [mean]
  let p = probabilityOfZero(mean, size)
  let cumulative = 0
  let loss = mean
  for (let x = 0; loss > mean * 1e-4; x++) {
    cumulative += p
    if (cumulative >= 1) break
    loss -= 1 - cumulative
    p *= ((x + size) / (x + 1)) * ratio
    result.push(Math.max(0, loss))
  }
  return result
}
