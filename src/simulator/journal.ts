/**
 * A world that outlives its process: its beginning and its inputs, one JSON line each. Played again they give the same
 * trades and orders, so a restarted staging service meets the world it left.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DAY } from '../kernel/clock.ts'
import { createWorld } from './world.ts'
import type { Input, World, WorldOptions } from './world.ts'

/** An older world is let go: playing it again would take seconds, and its trades are past keeping anyway. */
const MAX_AGE = 180 * DAY

export function worldFromJournal(file: string, options: WorldOptions): World {
  const { head, inputs } = readJournal(file)
  const same =
    head !== undefined &&
    head.options.takeoverMs <= options.takeoverMs &&
    options.takeoverMs - head.options.takeoverMs < MAX_AGE &&
    JSON.stringify({ ...head.options, takeoverMs: 0 }) === JSON.stringify({ ...options, takeoverMs: 0 })
  const world = createWorld(same ? head.options : options)
  if (same) for (const input of inputs) world.replay(input)
  else {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${JSON.stringify({ options })}\n`)
  }
  world.onInput((input) => appendFileSync(file, `${JSON.stringify(input)}\n`))
  return world
}

interface Journal {
  readonly head?: { readonly options: WorldOptions }
  readonly inputs: readonly Input[]
}

/** A last line cut short by a crash is dropped; a file that is no journal counts as none. */
function readJournal(file: string): Journal {
  if (!existsSync(file)) return { inputs: [] }
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  try {
    const [head, ...inputs] = lines.map((line) => JSON.parse(line) as unknown)
    return typeof head === 'object' && head !== null && 'options' in head
      ? { head: head as { options: WorldOptions }, inputs: inputs as Input[] }
      : { inputs: [] }
  } catch {
    return { inputs: [] }
  }
}
