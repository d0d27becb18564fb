/** Divides whole units by weights, so that the parts add up to the whole: largest remainder, the first of equal ones. */
export function shareOut(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0)
  if (sum <= 0) return weights.map(() => 0)
  const exact = weights.map((weight) => (total * weight) / sum)
  // What is a whole number but for the error of the division stays one.
  const parts = exact.map((part) => Math.floor(part + 1e-9))
  const left = total - parts.reduce((all, part) => all + part, 0)
  if (left === 0) return parts
  const order = exact.map((part, i) => ({ i, rest: part - parts[i]! })).toSorted((a, b) => b.rest - a.rest || a.i - b.i)
  for (const { i } of order.slice(0, left)) parts[i]! += 1
  return parts
}
