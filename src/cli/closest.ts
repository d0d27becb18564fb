/** The known word a typing mistake was probably meant to be. */

/** Edits between two words (Levenshtein), one row at a time. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

export function closest(typed: string, known: readonly string[]): string | undefined {
  const bound = Math.max(1, Math.floor(typed.length / 3))
  const near = known
    .map((word) => ({ word, far: distance(typed, word) }))
    .filter(({ far }) => far <= bound)
    .toSorted((a, b) => a.far - b.far)
  return near[0]?.word
}
