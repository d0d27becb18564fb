/** Shell completion, generated from the command table. */
import type { Command } from '../../command.ts'
import { SHELLS, completionScript } from '../../completion.ts'
import { UsageError } from '../../exit.ts'

export const completionCommand = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'print the completion script for a shell',
  args: [{ name: 'shell' }],
  examples: [
    ['vendops completion bash > ~/.local/share/bash-completion/completions/vendops', 'bash'],
    ['vendops completion zsh > "${fpath[1]}/_vendops"', 'zsh'],
    ['vendops completion fish > ~/.config/fish/completions/vendops.fish', 'fish'],
  ],
  async run(context, args) {
    const shell = SHELLS.find((name) => name === args.arg('shell'))
    if (!shell) throw new UsageError(`<shell> must be one of ${SHELLS.join(', ')}`)
    await context.terminal.out(completionScript(shell, commands()))
  },
})
