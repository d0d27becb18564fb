/**
 * Keeps a world over restarts: a file with its options and its inputs, one JSON line each. Replaying them gives the same
 * sales and orders.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DAY } from '../../kernel/clock.ts'
import { type Input, type World, type WorldOptions, createWorld } from './world.ts'

/** An older world is discarded: replaying it would take seconds, and its first sales are no longer kept anyway. */
const MAX_AGE = 180 * DAY

export function worldFromJournal(file: string, options: WorldOptions): World {
  const { head, inputs } = readJournal(file)
  const isContinued = head !== undefined && isContinuation(head.options, inputs, options)
  const world = createWorld(isContinued ? head.options : options)
  if (isContinued) for (const input of inputs) world.replay(input)
  else {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${JSON.stringify({ options })}\n`)
  }
  world.onInput((input) => appendFileSync(file, `${JSON.stringify(input)}\n`))
  return world
}

/** The same options, and nothing in the future: after the clock was set back a new world starts. */
function isContinuation(past: WorldOptions, inputs: readonly Input[], present: WorldOptions): boolean {
  const { takeoverMs: now } = present
  return (
    Math.max(past.takeoverMs, inputs.at(-1)?.at ?? 0) <= now &&
    now - past.takeoverMs < MAX_AGE &&
    comparableOptions(past) === comparableOptions(present)
  )
}

/**
 * A world from before `demoShoppersPerHour` goes on without them, and one in another language in that language: a new one
 * would not fit the database beside it.
 */
const comparableOptions = ({
  takeoverMs: _takeover,
  demoShoppersPerHour: _demo,
  language: _language,
  ...options
}: WorldOptions): string => JSON.stringify(options)

interface Journal {
  readonly head?: { readonly options: WorldOptions }
  readonly inputs: readonly Input[]
}

/** A last line cut short by a crash is removed from the file; a file that is not a journal is ignored. */
function readJournal(file: string): Journal {
  if (!existsSync(file)) return { inputs: [] }
  const text = readFileSync(file, 'utf8')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  if (whole !== text) truncateSync(file, Buffer.byteLength(whole))
  const lines = whole.split('\n').slice(0, -1)
  try {
    const [head, ...inputs] = lines.map((line) => JSON.parse(line) as unknown)
    return typeof head === 'object' && head !== null && 'options' in head
      ? { head: head as { options: WorldOptions }, inputs: inputs as Input[] }
      : { inputs: [] }
  } catch {
    return { inputs: [] }
  }
}
