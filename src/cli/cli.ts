/** From what was typed to a command and its exit code. Everything that can go wrong ends here as words and a number. */
import { VendopsError } from '../client/index.ts'
import type { Client } from '../client/index.ts'
import type { Command } from './command.ts'
import { connect } from './connect.ts'
import type { Environment } from './connect.ts'
import { contextOf } from './context.ts'
import { CommandFailure, EXIT, exitOfError, UsageError } from './exit.ts'
import type { Exit } from './exit.ts'
import { read } from './parsed-args.ts'
import { commandHelp, overview, usageOf } from './help.ts'
import { closest } from './closest.ts'
import type { Terminal } from './terminal.ts'
import { plain } from './width.ts'

export interface CliNeeds {
  readonly commands: readonly Command[]
  readonly terminal: Terminal
  readonly env: Environment
  readonly signal: AbortSignal
  readonly connect?: (env: Environment, url: string | undefined) => Client
}

/** The command with two words wins over the one with one; what follows are its arguments. */
export function find(commands: readonly Command[], argv: readonly string[]) {
  const named = (name: string) => commands.find((command) => command.name === name || command.alias === name)
  const two = argv.length > 1 ? named(`${argv[0]} ${argv[1]}`) : undefined
  if (two) return { command: two, argv: argv.slice(2) }
  const one = named(argv[0] ?? '')
  return one && { command: one, argv: argv.slice(1) }
}

export async function runCli(argv: readonly string[], needs: CliNeeds): Promise<Exit> {
  const { commands, terminal, env, signal } = needs
  const { style } = terminal
  const [first] = argv
  if (first === undefined || first === 'help' || first === '--help' || first === '-h') {
    const about = first === 'help' ? find(commands, argv.slice(1))?.command : undefined
    await terminal.out(about ? commandHelp(about, style) : overview(commands, style))
    return EXIT.ok
  }
  const found = find(commands, argv)
  if (!found) {
    const names = commands.flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]))
    const near = closest(argv.slice(0, 2).join(' '), names) ?? closest(first, names)
    terminal.err(`vendops: there is no command "${first}"${near ? `; did you mean "${near}"?` : ''}\n`)
    terminal.err(style.dim('→ vendops --help   lists them all\n'))
    return EXIT.usage
  }

  const { command } = found
  const json = found.argv.includes('--json')
  try {
    const given = read(command, found.argv)
    if (given.flag('help')) {
      await terminal.out(commandHelp(command, style))
      return EXIT.ok
    }
    const url = given.text('url')
    const context = contextOf({
      terminal,
      env,
      json,
      url,
      signal,
      connect: () => (needs.connect ?? connect)(env, url),
    })
    return (await command.run(context, given)) ?? EXIT.ok
  } catch (failure) {
    if (signal.aborted) return EXIT.interrupted
    return told(failure, { terminal, json, command, meant: meant(commands, command, found.argv[0]) })
  }
}

/** `approvals aprove`: the second word of another command, mistyped. */
function meant(commands: readonly Command[], { name, alias }: Command, word = ''): string | undefined {
  const head = `${alias ?? name} `
  const tails = commands.filter((other) => other.name.startsWith(head)).map((other) => other.name.slice(head.length))
  const near = closest(word, tails)
  return near && head + near
}

interface Telling {
  readonly terminal: Terminal
  readonly json: boolean
  readonly command: Command
  readonly meant: string | undefined
}

function told(failure: unknown, { terminal, json, command, meant }: Telling): Exit {
  const { style } = terminal
  const line = (text: string) => terminal.err(`${text}\n`)
  if (failure instanceof UsageError) {
    if (json) line(JSON.stringify({ error: { code: 'usage', content: failure.message } }))
    else {
      line(`vendops: ${failure.message}${meant ? `; did you mean "${meant}"?` : ''}`)
      line(style.dim(`usage: ${usageOf(command)}\n→ vendops ${command.name} --help   has examples`))
    }
    return EXIT.usage
  }
  if (failure instanceof CommandFailure) {
    if (json) line(JSON.stringify({ error: { code: 'failed', content: failure.message, hint: failure.hint } }))
    else {
      line(`${style.red('vendops:')} ${failure.message}`)
      if (failure.hint) line(style.dim(`→ ${failure.hint}`))
    }
    return failure.exit
  }
  if (failure instanceof VendopsError) {
    if (json) line(JSON.stringify({ error: errorData(failure) }))
    else {
      const all = failure.messages.length > 0 ? failure.messages : [{ code: failure.code, content: failure.message }]
      for (const { code, content, ...rest } of all) {
        const path = 'path' in rest && rest.path !== undefined ? style.dim(` (${plain(rest.path)})`) : ''
        line(`${style.red(plain(code))}  ${plain(content)}${path}`)
      }
      const hint = hintFor(failure)
      if (hint) line(style.dim(`→ ${hint}`))
    }
    return exitOfError(failure)
  }
  throw failure
}

const errorData = ({ operation, status, code, message, messages, retryAfter, requestId }: VendopsError) => ({
  operation,
  status,
  code,
  content: message,
  messages,
  retry_after: retryAfter,
  request_id: requestId,
})

/** What to do about it, for the codes where that is known. */
const HINTS: Readonly<Record<string, string>> = {
  unreachable: 'vendops doctor   finds out what is wrong; vendops serve   starts the service here',
  timeout: 'vendops status   shows whether the service is well',
  unauthorized: 'set OPERATOR_TOKEN to the token of this service',
  approval_required: 'vendops approvals   lists what waits for a decision',
  kill_switch_engaged: 'vendops status   tells who pulled the emergency stop and why; vendops release   on the host',
  guard_unverifiable: 'vendops doctor   on the host says what is wrong with the guardrails file',
  service_unavailable: 'the database of the service is away; vendops status   shows when it is back',
  already_placed: 'vendops runs   shows where the run stands',
  internal: 'the log of the service has the request id',
}

function hintFor(error: VendopsError): string | undefined {
  const hint = HINTS[error.code]
  return error.code === 'internal' && error.requestId ? `${hint}: ${error.requestId}` : hint
}
