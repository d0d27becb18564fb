/** A stream of numbers that one seed repeats. */
export interface Random {
  /** From 0 up to but without 1. */
  (): number
}

export function randomOf(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

export const chance = (random: Random, p: number): boolean => random() < p

export function pick<T>(random: Random, from: readonly T[]): T {
  const one = from[Math.floor(random() * from.length)]
  if (one === undefined) throw new Error('nothing to pick from')
  return one
}

export const upTo = (random: Random, max: number): number => Math.floor(random() * max)

/** One of the keys, as likely as its weight. */
export function weighted<K extends string>(random: Random, weights: Readonly<Record<K, number>>): K {
  const entries = Object.entries<number>(weights) as [K, number][]
  let left = random() * entries.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [key, weight] of entries) if ((left -= weight) < 0) return key
  return entries.at(-1)?.[0] as K
}
