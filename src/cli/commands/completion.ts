/** Shell completion, drawn from the command table. */
import type { Command } from '../command.ts'
import { SHELLS, script } from '../completion.ts'
import { UsageError } from '../exit.ts'

export const completionCommand = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  group: 'Tools',
  summary: 'print the completion script of a shell',
  args: [{ name: 'shell' }],
  examples: [
    ['vendops completion bash > ~/.local/share/bash-completion/completions/vendops', 'bash'],
    ['vendops completion zsh > "${fpath[1]}/_vendops"', 'zsh'],
    ['vendops completion fish > ~/.config/fish/completions/vendops.fish', 'fish'],
  ],
  async run(context, given) {
    const shell = SHELLS.find((name) => name === given.arg('shell'))
    if (!shell) throw new UsageError(`the shell is one of ${SHELLS.join(', ')}`)
    await context.terminal.out(script(shell, commands()))
  },
})
