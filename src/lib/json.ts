/** Reading JSON that people and vendors wrote. */

/** Undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Finds a name that was written twice in a JSON text that people edit: the rules file and VENDORS_FILE. */
const TEXT_OR_BRACKET = /"[^"\\]*(?:\\.[^"\\]*)*"(?<colon>\s*:)?|[{}[\]]/g

/**
 * The first name that occurs twice in one object of a valid JSON text. JSON.parse silently keeps the last value, so a value
 * written twice could differ from the one that people read.
 */
export function findDuplicateName(text: string): string | undefined {
  const open: Set<string>[] = []
  for (const { 0: token, groups } of text.matchAll(TEXT_OR_BRACKET)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else if (groups?.['colon'] !== undefined) {
      // The same name can be written with different escapes.
      const name = JSON.parse(token.slice(0, -groups['colon'].length)) as string
      const names = open.at(-1)
      if (names?.has(name)) return name
      names?.add(name)
    }
  }
  return undefined
}
