/** Suggests the known word closest to a mistyped one. */

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
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

export function closestWord(typed: string, known: readonly string[]): string | undefined {
  const bound = Math.max(1, Math.floor(typed.length / 3))
  const candidates = known
    .map((word) => ({ word, edits: editDistance(typed, word) }))
    .filter(({ edits }) => edits <= bound)
    .toSorted((a, b) => a.edits - b.edits)
  return candidates[0]?.word
}
