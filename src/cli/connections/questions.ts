/** Questions to the person at the terminal, about a connection. */
import type { GuessQuestion, SettingPrompt } from '../../vendors/adapter-module.ts'
import type { Context } from '../context.ts'
import { CommandFailure, EXIT, UsageError } from '../exit.ts'

async function ask(context: Context, question: string, option: string): Promise<string> {
  const answer = await context.terminal.ask(`${context.style.bold(question)}: `)
  if (answer === undefined)
    throw new CommandFailure(`${option} is missing, and this is not an interactive terminal`, { exit: EXIT.declined })
  return answer
}

/** A slip costs one more question, never the answers so far: who wants to give up ends the program. */
export async function askUntil(
  context: Context,
  question: string,
  option: string,
  problemOf: (answer: string) => string | undefined,
): Promise<string> {
  for (;;) {
    const answer = (await ask(context, question, option)).trim()
    const problem = problemOf(answer)
    if (problem === undefined) return answer
    context.terminal.err(`${problem}\n`)
  }
}

/** Where a problem is about several settings. */
export async function askWhich(context: Context, prompts: readonly SettingPrompt[]): Promise<SettingPrompt> {
  const paths = prompts.map(({ path }) => path)
  const answer = await askUntil(context, 'Name of the setting to change', '--set', (text) =>
    paths.includes(text) ? undefined : `one of ${paths.join(', ')}`,
  )
  const found = prompts.find(({ path }) => path === answer)
  if (!found) throw new UsageError(`there is no setting ${answer}`)
  return found
}

/** After a read that worked: the setting to change, or undefined when the products are as they should be. */
export async function confirmExamples(
  context: Context,
  prompts: readonly SettingPrompt[],
): Promise<SettingPrompt | undefined> {
  const example = prompts.find(({ path }) => path.includes('price')) ?? prompts[0]
  const question = `Right? yes, or the name of a setting to change it${example ? ` (such as ${example.path})` : ''}`
  const answer = await askUntil(context, question, 'Right?', (text) =>
    /^y(?:es)?$/i.test(text) || prompts.some(({ path }) => path === text)
      ? undefined
      : `type yes, or one of ${prompts.map(({ path }) => path).join(', ')}`,
  )
  return prompts.find(({ path }) => path === answer)
}

/** The place of the choice; an empty answer takes the first. */
export async function askToChoose(
  context: Context,
  { text, choices }: { readonly text: string; readonly choices: readonly Pick<GuessQuestion['choices'][0], 'label'>[] },
): Promise<number> {
  const labels = choices.map(({ label }, i) => `${i + 1} ${label}`)
  const placeOf = (answer: string) => (answer === '' ? 0 : Number(answer) - 1)
  const question = `${text} ${labels.join(', ')} (number; default 1)`
  const answer = await askUntil(context, question, text, (typed) =>
    choices[placeOf(typed)] ? undefined : `"${typed}" is not a number from 1 to ${choices.length}`,
  )
  return placeOf(answer)
}

/** Where an empty answer takes what is proposed. */
const LEAVE_OUT = '-'

/** Undefined: left out. */
export async function askSetting(
  context: Context,
  prompt: SettingPrompt,
  { hint, problemOf }: { readonly hint?: string; readonly problemOf?: (answer: string) => string | undefined } = {},
): Promise<string | undefined> {
  const { path, choices, isOptional } = prompt
  const valueOf = (text: string) => (text === '' ? (prompt.default ?? '') : text)
  const text = await askUntil(context, questionOf(prompt, hint), `--set ${path}`, (typed) => {
    const answer = valueOf(typed)
    if (answer === '' || (answer === LEAVE_OUT && isOptional)) return isOptional ? undefined : `${path} is needed`
    if (problemOf) return problemOf(answer)
    return choices && !choices.includes(answer) ? `${path} must be one of ${choices.join(', ')}` : undefined
  })
  const answer = valueOf(text)
  return answer === '' || (answer === LEAVE_OUT && isOptional) ? undefined : answer
}

function questionOf(
  { question, choices, default: fallback, isOptional, kind }: SettingPrompt,
  hint: string | undefined,
): string {
  const hints = [
    ...(hint === undefined ? [] : [hint]),
    ...(choices ? [choices.join(', ')] : []),
    ...(kind === 'list' ? ['separated by commas'] : []),
    ...(kind === 'boolean' ? ['yes or no'] : []),
    ...(fallback === undefined ? [] : [`default ${fallback}`]),
    ...(isOptional ? ['may be empty'] : []),
  ]
  return hints.length === 0 ? question : `${question} (${hints.join('; ')})`
}
