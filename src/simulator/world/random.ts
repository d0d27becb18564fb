/**
 * Named random streams. Every consumer draws from its own stream, made of the seed, a label and keys, so that a new
 * consumer or another order of calls does not change the numbers of the others.
 */
export type Random = ReturnType<typeof sfc32>

/** FNV-1a over the parts, with a separator between them; four variants give sfc32 its whole state. */
function mix(lane: number, parts: readonly (string | number)[]): number {
  let hash = (0x811c9dc5 ^ Math.imul(lane + 1, 0x9e3779b1)) >>> 0
  for (const part of parts) {
    const text = typeof part === 'string' ? part : String(part)
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
    hash = Math.imul(hash ^ 0x1f, 0x01000193)
  }
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  return (hash ^ Math.imul(hash, 0xc2b2ae35)) >>> 0
}

/** A constant 32-bit number for the given parts, for choices that need no stream. */
export const hash = (...parts: readonly (string | number)[]): number => mix(0, parts)

export const stream = (...parts: readonly (string | number)[]): Random =>
  sfc32(mix(0, parts), mix(1, parts), mix(2, parts), mix(3, parts))

/** A stream from one number, cheap enough for one per shopper. */
export const streamOf = (seed: number): Random => sfc32(seed | 0, 0x9e3779b9, 0x243f6a88, 0xb7e15162)

function sfc32(a: number, b: number, c: number, d: number) {
  /** In [0, 1). */
  const next = () => {
    const t = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + t) | 0
    return (t >>> 0) / 4_294_967_296
  }
  for (let i = 0; i < 12; i++) next()
  return {
    next,
    /** A whole number from `low` to `high`, both included. */
    between: (low: number, high: number) => low + Math.floor(next() * (high - low + 1)),
    happens: (probability: number) => next() < probability,
    pick: <T>(items: readonly T[]): T => {
      const item = items[Math.floor(next() * items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
  }
}

/** Standard normal, by Box and Muller. */
export const drawNormal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())

/** Gamma with the given shape and mean 1, by Marsaglia and Tsang. */
export function drawGamma(random: Random, shape: number): number {
  if (shape < 1) return ((drawGamma(random, shape + 1) * (shape + 1)) / shape) * Math.pow(1 - random.next(), 1 / shape)
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = drawNormal(random)
    const v = (1 + c * x) ** 3
    if (v > 0 && Math.log(1 - random.next()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return (d * v) / shape
  }
}

/** Number of events when `mean` are expected: Knuth's product, in parts of 30 so that it cannot underflow. */
export function poisson(random: Random, mean: number): number {
  let count = 0
  for (let left = mean; left > 0; left -= 30) {
    const limit = Math.exp(-Math.min(left, 30))
    for (let product = 1 - random.next(); product > limit; product *= 1 - random.next()) count++
  }
  return count
}

/** Counts that spread more than Poisson's: variance `mean + mean² / dispersion`. */
export const negativeBinomial = (random: Random, mean: number, dispersion: number): number =>
  mean <= 0 ? 0 : poisson(random, mean * drawGamma(random, dispersion))
