/**
 * A world that outlives its process: its beginning and its inputs, one JSON line each. Played again they give the same
 * trades and orders, so a restarted staging service meets the world it left.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DAY } from '../../kernel/clock.ts'
import { createWorld } from './world.ts'
import type { Input, World, WorldOptions } from './world.ts'

/** An older world is let go: playing it again would take seconds, and its trades are past keeping anyway. */
const MAX_AGE = 180 * DAY

export function worldFromJournal(file: string, options: WorldOptions): World {
  const { head, inputs } = readJournal(file)
  const goesOn = head !== undefined && continues(head.options, inputs, options)
  const world = createWorld(goesOn ? head.options : options)
  if (goesOn) for (const input of inputs) world.replay(input)
  else {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${JSON.stringify({ options })}\n`)
  }
  world.onInput((input) => appendFileSync(file, `${JSON.stringify(input)}\n`))
  return world
}

/** The same world, and nothing in it lies ahead of the clock: a clock set back gets a world of its own. */
function continues(past: WorldOptions, inputs: readonly Input[], present: WorldOptions): boolean {
  const { takeoverMs: now } = present
  return (
    Math.max(past.takeoverMs, inputs.at(-1)?.at ?? 0) <= now &&
    now - past.takeoverMs < MAX_AGE &&
    JSON.stringify({ ...past, takeoverMs: 0 }) === JSON.stringify({ ...present, takeoverMs: 0 })
  )
}

interface Journal {
  readonly head?: { readonly options: WorldOptions }
  readonly inputs: readonly Input[]
}

/** A last line cut short by a crash is taken off the file; a file that is no journal counts as none. */
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
