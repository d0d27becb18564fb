/** Finds and runs a command. Every failure becomes a message on standard error and an exit code. */
import { type Client, VendopsError } from '../client/index.ts'
import type { Command, GroupedCommand } from './command.ts'
import { PRODUCT_VERSION } from '../contract/version.ts'
import { type Target, connect } from './connect.ts'
import type { Environment } from './profiles.ts'
import { createContext, messageLine } from './context.ts'
import { type Exit, areCredentialsOfConnection, CommandFailure, EXIT, exitOfError, UsageError } from './exit.ts'
import { parseCommandArgs } from './parsed-args.ts'
import { commandHelp, overview, usageOf } from './help.ts'
import { closestWord } from '../lib/words.ts'
import type { Terminal } from './terminal.ts'

interface CliDeps {
  readonly commands: readonly GroupedCommand[]
  readonly terminal: Terminal
  readonly env: Environment
  readonly signal: AbortSignal
  readonly connect?: (env: Environment, target: Target) => Client
  readonly connectTo?: (url: string, token: string) => Client
}

/** A two-word command takes precedence over a one-word command; the remaining words are its arguments. */
export function findCommand(commands: readonly Command[], argv: readonly string[]) {
  const findByName = (name: string) => commands.find((command) => command.name === name || command.alias === name)
  const two = argv.length > 1 ? findByName(`${argv[0]} ${argv[1]}`) : undefined
  if (two) return { command: two, argv: argv.slice(2) }
  const one = findByName(argv[0] ?? '')
  return one && { command: one, argv: argv.slice(1) }
}

export async function runCli(argv: readonly string[], deps: CliDeps): Promise<Exit> {
  const { commands, terminal, env, signal } = deps
  const { style } = terminal
  const [first] = argv
  if (first === undefined || first === 'help' || first === '--help' || first === '-h') {
    const about = first === 'help' ? findCommand(commands, argv.slice(1))?.command : undefined
    await terminal.out(about ? commandHelp(about, style) : overview(commands, style))
    return EXIT.ok
  }
  if (first === '--version' || first === '-v' || first === 'version') {
    await terminal.out(`vendops ${PRODUCT_VERSION}\n`)
    return EXIT.ok
  }
  const json = argv.includes('--json')
  const found = findCommand(commands, argv)
  if (!found) {
    const names = commands.flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]))
    const suggestion = closestWord(argv.slice(0, 2).join(' '), names) ?? closestWord(first, names)
    const content = `unknown command "${first}"${suggestion ? `; did you mean "${suggestion}"?` : ''}`
    return reportError({ terminal, json }, EXIT.usage, { code: 'usage', content }, [
      `vendops: ${content}`,
      style.dim('→ vendops --help   lists all commands'),
    ])
  }

  const { command } = found
  try {
    const args = parseCommandArgs(command, found.argv)
    if (args.flag('help')) {
      await terminal.out(commandHelp(command, style))
      return EXIT.ok
    }
    const target = { url: args.text('url'), profile: args.text('profile') }
    if (json && args.flag('csv')) throw new UsageError('use --json or --csv, not both')
    const context = createContext({
      terminal,
      env,
      json,
      csv: args.flag('csv'),
      ...target,
      signal,
      connect: () => (deps.connect ?? connect)(env, target),
      connectTo: deps.connectTo,
    })
    return (await command.run(context, args)) ?? EXIT.ok
  } catch (failure) {
    if (signal.aborted) return EXIT.interrupted
    return reportFailure(failure, {
      terminal,
      json,
      command,
      suggestion: suggestCommand(commands, command, found.argv[0]),
    })
  }
}

/** For `approvals aprove`: the command whose second word was probably meant. */
function suggestCommand(commands: readonly Command[], { name, alias }: Command, word = ''): string | undefined {
  const head = `${alias ?? name} `
  const tails = commands.filter((other) => other.name.startsWith(head)).map((other) => other.name.slice(head.length))
  const suggestion = closestWord(word, tails)
  return suggestion && head + suggestion
}

interface Output {
  readonly terminal: Terminal
  readonly json: boolean
}

/** With --json every failure is one JSON object, otherwise lines for people. */
function reportError({ terminal, json }: Output, exit: Exit, error: object, lines: readonly string[]): Exit {
  for (const line of json ? [JSON.stringify({ error })] : lines) terminal.err(`${line}\n`)
  return exit
}

interface FailureContext extends Output {
  readonly command: Command
  readonly suggestion: string | undefined
}

function reportFailure(failure: unknown, { command, suggestion, ...output }: FailureContext): Exit {
  const { style } = output.terminal
  if (failure instanceof UsageError)
    return reportError(output, EXIT.usage, { code: 'usage', content: failure.message }, [
      `vendops: ${failure.message}${suggestion ? `; did you mean "${suggestion}"?` : ''}`,
      style.dim(`usage: ${usageOf(command)}\n→ vendops ${command.name} --help   shows examples`),
    ])
  if (failure instanceof CommandFailure)
    return reportError(output, failure.exit, { code: failure.code, content: failure.message, hint: failure.hint }, [
      `${style.red('vendops:')} ${failure.message}`,
      ...(failure.hint ? [style.dim(`→ ${failure.hint}`)] : []),
    ])
  if (failure instanceof VendopsError) {
    const { code, message: content, messages } = failure
    const hint = hintOf(failure)
    return reportError(output, exitOfError(failure), errorData(failure), [
      ...(messages.length > 0 ? messages : [{ type: 'error' as const, code, content }]).map((message) =>
        messageLine(message, style),
      ),
      ...(hint ? [style.dim(`→ ${hint}`)] : []),
    ])
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

/** Next step for the error codes that have one. */
const HINTS: Readonly<Record<string, string>> = {
  unreachable: 'vendops doctor   diagnoses the problem; vendops serve   starts the service on this machine',
  timeout: 'vendops status   shows whether the service responds',
  unauthorized: 'vendops login <url>   stores another token; or set OPERATOR_TOKEN',
  approval_required: 'vendops approvals   lists the pending approvals',
  kill_switch_engaged: 'vendops status   shows who pulled the emergency stop; vendops release   on the server',
  guard_unverifiable: 'vendops doctor   on the server shows what is wrong with the rules file',
  service_unavailable: 'the service cannot reach its database; check again with vendops status',
  already_placed: 'vendops runs   shows the status of the run',
  internal: 'find the request id in the log of the service',
}

function hintOf(error: VendopsError): string | undefined {
  const { may_exist: mayExist, checkout } = error.messages?.[0]?.params ?? {}
  if (mayExist === true && typeof checkout === 'string')
    return `vendops checkout show ${checkout}   shows whether the supplier has the order`
  if (areCredentialsOfConnection(error))
    return 'vendops doctor   on the server checks the credentials of each connection'
  const hint = HINTS[error.code]
  return error.code === 'internal' && error.requestId ? `${hint}: ${error.requestId}` : hint
}
