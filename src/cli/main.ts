/** Entry point of the `vendops` command, called by `bin/vendops.js`. */
import { runCli } from './cli.ts'
import { COMMANDS } from './commands/index.ts'
import { processTerminal } from './terminal.ts'

export async function run(argv: readonly string[]): Promise<void> {
  // `vendops orders | head` closes the pipe early, which is not a failure.
  process.stdout.on('error', (failure: NodeJS.ErrnoException) => {
    if (failure.code === 'EPIPE') process.exit(0)
    throw failure
  })
  const interrupt = new AbortController()
  // `serve` shuts down gracefully by itself; every other command stops at once with exit code 130.
  if (argv[0] !== 'serve')
    process.once('SIGINT', () => {
      interrupt.abort(new Error('interrupted'))
      setTimeout(() => process.exit(130), 1000).unref()
    })
  const terminal = processTerminal(process.env)
  process.exitCode = await runCli(argv, { commands: COMMANDS, terminal, env: process.env, signal: interrupt.signal })
}
