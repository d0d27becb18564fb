/**
 * The shape of the guardrails file, read strictly: a field that is missing, misspelt or of another type says nothing
 * reliable about what the owner wants, so the whole file counts for nothing.
 */
import { parseRfc3339 } from '../../kernel/clock.ts'
import { fen } from '../../kernel/fen.ts'
import type { Fen } from '../../kernel/fen.ts'
import type { ParsedRules } from './rules.ts'

const ENTRIES_MAX = 1000
const ENTRY_LENGTH_MAX = 256

/** What is wrong with the file, for the log of the host; callers hear only that it cannot be relied on. */
export class InvalidRules extends Error {}

export function parseRules(text: string): ParsedRules {
  const file = members(json(text), 'the file', {
    needed: ['rules'],
    possible: ['probationUntil', 'administrators', 'administratorChats'],
  })
  const rules = members(file['rules'], 'rules', {
    needed: ['spendingLimitPerRun', 'priceCapPerItem', 'hardNoGos', 'killSwitchEngaged'],
    possible: [],
  })
  return {
    spendingLimitPerRun: amount(rules, 'spendingLimitPerRun'),
    priceCapPerItem: amount(rules, 'priceCapPerItem'),
    hardNoGos: texts(rules, 'hardNoGos'),
    killSwitchEngaged: flag(rules, 'killSwitchEngaged'),
    probationUntil: instant(file, 'probationUntil'),
    // Nobody named means nobody may: the tightest reading.
    administrators: 'administrators' in file ? texts(file, 'administrators') : [],
    administratorChats: 'administratorChats' in file ? texts(file, 'administratorChats') : [],
  }
}

type Members = Readonly<Record<string, unknown>>

function json(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new InvalidRules('it is not JSON')
  }
  const name = repeatedName(text)
  if (name !== undefined)
    throw new InvalidRules(`the field ${JSON.stringify(name.slice(0, 64))} appears twice in one object`)
  return value
}

const TEXT_OR_BRACKET = /"[^"\\]*(?:\\.[^"\\]*)*"(?<colon>\s*:)?|[{}[\]]/g

/**
 * A name that one object of a valid JSON text holds twice. JSON.parse keeps the last value without a word, so a limit
 * written twice could be another than the one the owner reads.
 */
function repeatedName(text: string): string | undefined {
  const open: Set<string>[] = []
  for (const { 0: token, groups } of text.matchAll(TEXT_OR_BRACKET)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else if (groups?.['colon'] !== undefined) {
      // Escapes spell the same name in several ways.
      const name = JSON.parse(token.slice(0, -groups['colon'].length)) as string
      const names = open.at(-1)
      if (names?.has(name)) return name
      names?.add(name)
    }
  }
  return undefined
}

/** A misspelt optional field would silently lift the rule it meant, so unknown names are refused. */
function members(
  value: unknown,
  name: string,
  { needed, possible }: { readonly needed: readonly string[]; readonly possible: readonly string[] },
): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidRules(`${name} is not an object`)
  for (const key of Object.keys(value))
    if (!needed.includes(key) && !possible.includes(key))
      throw new InvalidRules(`${name} has an unknown field ${JSON.stringify(key.slice(0, 64))}`)
  for (const key of needed) if (!Object.hasOwn(value, key)) throw new InvalidRules(`${key} is missing`)
  return value as Members
}

function amount(from: Members, name: string): Fen {
  const value = from[name]
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new InvalidRules(`${name} is not a whole number of fen`)
  return fen(value)
}

function flag(from: Members, name: string): boolean {
  const value = from[name]
  if (typeof value !== 'boolean') throw new InvalidRules(`${name} is neither true nor false`)
  return value
}

function texts(from: Members, name: string): readonly string[] {
  const value = from[name]
  if (!Array.isArray(value) || value.length > ENTRIES_MAX)
    throw new InvalidRules(`${name} is not a list of at most ${ENTRIES_MAX} texts`)
  for (const entry of value as unknown[])
    if (typeof entry !== 'string' || entry.length > ENTRY_LENGTH_MAX)
      throw new InvalidRules(`${name} holds something else than texts of at most ${ENTRY_LENGTH_MAX} characters`)
  return value as string[]
}

function instant(from: Members, name: string): number | undefined {
  const value = from[name]
  if (value === undefined || value === null) return undefined
  const ms = typeof value === 'string' ? parseRfc3339(value) : undefined
  if (ms === undefined) throw new InvalidRules(`${name} is not an RFC 3339 time with an offset`)
  return ms
}
