/**
 * The program that runs the route. It gets each turn on standard input and ends the turn with a line on standard
 * output, or by exiting: then it is started again for the next turn. The clock stands still meanwhile.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { MCP_PATH } from '../../../contract/version.ts'
import { parseJson } from '../../../lib/json.ts'
import { programFile } from '../../../lib/program-file.ts'
import type { Environment } from '../../profiles.ts'
import { CommandFailure } from '../../exit.ts'

/** `day` begins a day; `decided` follows when the owner has decided what the agent asked for. */
export interface Turn {
  readonly type: 'day' | 'decided'
  /** From 1. */
  readonly day: number
  readonly days: number
  readonly date: string
  readonly now: string
  /** With `decided`: what the owner decided. */
  readonly approvals?: readonly { readonly id: string; readonly kind: string; readonly approved: boolean }[]
}

export interface AgentOptions {
  /** A built-in agent by name, or a command line for the shell. */
  readonly command: string
  readonly url: string
  readonly key: string
  readonly env: Environment
  /** For one turn, in real time. */
  readonly timeoutMs: number
}

export type Agent = ReturnType<typeof startAgent>

/** The agents that come with the program. `reckless` is `scripted`, and also tries what the rules forbid. */
const BUILT_IN: Readonly<Record<string, readonly string[]>> = { scripted: [], reckless: ['--reckless'] }
const SCRIPT = fileURLToPath(programFile('scripted', import.meta.url))

/** How long an agent may take to end after its input has ended. */
const CLOSE_MS = 2000

/** What a program needs to run. Everything else stays here: the environment may hold keys of the real service. */
const PASSED = new Set([
  'PATH',
  'HOME',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'TERM',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
])
/** For what the agent itself needs, such as the key of a model. */
const PASSED_PREFIX = 'AGENT_'

export function startAgent({ command, url, key, env, timeoutMs }: AgentOptions) {
  const own = BUILT_IN[command]
  const base = Object.fromEntries(
    Object.entries(env).filter(([name]) => PASSED.has(name) || name.startsWith(PASSED_PREFIX)),
  )
  let child: ChildProcess | undefined
  let endTurn: ((failure?: CommandFailure) => void) | undefined

  function start(turn: Turn): ChildProcess {
    const environment = {
      ...base,
      VENDOPS_URL: url,
      VENDOPS_MCP_URL: url + MCP_PATH,
      OPERATOR_TOKEN: key,
      VENDOPS_TURN: JSON.stringify(turn),
    }
    // A group of its own, so that what a shell started ends with it.
    const options: SpawnOptions = { env: environment, stdio: ['pipe', 'pipe', 'inherit'], detached: true }
    const started = own
      ? spawn(process.execPath, [SCRIPT, ...own], options)
      : spawn(command, { ...options, shell: true })
    // A program that never reads its input may be gone before it is written.
    started.stdin?.on('error', () => undefined)
    createInterface({ input: started.stdout! }).on('line', (line) => {
      if (isDone(line)) endTurn?.()
    })
    const leave = (failure?: CommandFailure) => {
      if (child === started) child = undefined
      endTurn?.(failure)
    }
    started.once('error', (cause) => leave(new CommandFailure(`the agent cannot be started: ${cause.message}`)))
    started.once('exit', (code, signal) =>
      leave(code === 0 ? undefined : new CommandFailure(`the agent ended with ${signal ?? `exit code ${code}`}`)),
    )
    return started
  }

  return {
    async play(turn: Turn): Promise<void> {
      child ??= start(turn)
      const playing = child
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      endTurn = (failure) => (failure ? reject(failure) : resolve())
      const timer = setTimeout(() => {
        killGroup(playing)
        reject(new CommandFailure(`the agent took longer than ${timeoutMs / 1000} seconds for a turn`))
      }, timeoutMs)
      playing.stdin?.write(`${JSON.stringify(turn)}\n`)
      try {
        await promise
      } finally {
        clearTimeout(timer)
        endTurn = undefined
      }
    },
    /** Ends its input and waits until it is gone. */
    async close(): Promise<void> {
      const last = child
      if (!last) return
      const gone = new Promise((resolve) => last.once('exit', resolve))
      last.stdin?.end()
      const timer = setTimeout(() => killGroup(last), CLOSE_MS)
      await gone
      clearTimeout(timer)
    },
  }
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}

const isDone = (line: string): boolean =>
  (parseJson(line) as { readonly type?: string } | null | undefined)?.type === 'done'
