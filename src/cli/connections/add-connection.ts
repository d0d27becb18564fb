/** `vendops connect`: asks for a connection, checks it, reads the vendor once and writes it to the file. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AdapterModule, SettingPrompt } from '../../vendors/adapter-module.ts'
import { ADAPTERS } from '../../vendors/adapters.ts'
import { acmeConnections } from '../../vendors/connections/connection.ts'
import { readConnections } from '../../vendors/connections/read-connections.ts'
import { parseNamespace, roleOf } from '../../kernel/ids.ts'
import type { Role } from '../../kernel/ids.ts'
import type { Context } from '../context.ts'
import { describeCapabilities, testConnection } from '../doctor/connection-checks.ts'
import { CommandFailure, EXIT, UsageError } from '../exit.ts'
import type { Exit } from '../exit.ts'
import { hostConfig } from '../host.ts'
import { answerValue, hasMember, isAsked, optionValue, secretReference, setMember } from './settings.ts'

export interface ConnectionAnswers {
  readonly namespace: string | undefined
  readonly adapter: string | undefined
  readonly settings: readonly (readonly [string, string])[]
  readonly isReadOnly: boolean
  readonly idPrefix: string | undefined
  readonly file: string
  readonly acceptsFailedRead: boolean
}

const ROLE_WORDS: Readonly<Record<Role, string>> = { supply: 'supplier', machine: 'machine platform' }

export async function addConnection(context: Context, answers: ConnectionAnswers): Promise<Exit> {
  const config = hostConfig(context.env)
  const path = resolve(answers.file)
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '{"connections": []}'
  const module = await chooseModule(context, answers)
  const namespace =
    answers.namespace ?? (await ask(context, `Name of the connection, ending in -${module.role}`, 'connection'))
  const settings: Record<string, unknown> = {}
  for (const [name, text] of answers.settings) setMember(settings, name, optionValue(module, name, text))
  await askSettings(context, module, settings, answers.settings.length > 0)

  const connection = {
    namespace,
    adapter: module.adapter,
    currency: config.currency,
    ...(answers.isReadOnly && { read_only: true }),
    ...(answers.idPrefix !== undefined && { id_prefix: answers.idPrefix }),
    ...settings,
  }
  const after = withConnection(before, path, connection)
  // Checked as the service will read it: with the connections that are there already.
  const facts = { currency: config.currency, timeZone: config.timeZone, connections: acmeConnections(config) }
  const read = readConnections(path, facts, {
    variables: context.env,
    readFile: (file) => (resolve(file) === path ? after : readFileSync(file, 'utf8')),
  })
  if (!read.ok)
    throw new CommandFailure(`nothing was written: ${read.problems.join('; ')}`, {
      hint: 'vendops connect   asks again',
    })
  const added = read.connections.find(({ basics }) => basics.namespace === namespace)
  if (!added) throw new CommandFailure(`nothing was written: ${namespace} is not in the file`)

  const { result, capabilities, notices } = await context.withProgress('reading', () =>
    testConnection(added, config.upstreamTimeoutMs),
  )
  await context.writeLines([
    result.ok ? `read: ${result.value}` : `the test read failed: ${result.reason}, ${result.message}`,
    describeCapabilities(module.role, capabilities),
    ...notices,
  ])
  if (!result.ok)
    await context.confirm('Type write to add it all the same: ', (text) => text === 'write', answers.acceptsFailedRead)
  writeWhole(path, after)
  await context.writeJson({ file: path, connection, read: result.ok ? result.value : null, capabilities })
  await context.writeLines([`${namespace} is written to ${path}`])
  if (config.vendorsFile === undefined || resolve(config.vendorsFile) !== path)
    await context.writeLines([`set VENDORS_FILE=${path} in the environment of the service`])
  context.suggest('doctor', 'reads every connection; restart the service to use the new one')
  return EXIT.ok
}

async function chooseModule(context: Context, { adapter, namespace }: ConnectionAnswers): Promise<AdapterModule> {
  const id = namespace === undefined ? undefined : parseNamespace(namespace)
  if (namespace !== undefined && !id) throw new UsageError(`"${namespace}" must end in -supply or -machine`)
  const fitting = ADAPTERS.filter(({ role }) => !id || role === roleOf(id))
  const choices = adapter === undefined ? fitting : fitting.filter((module) => module.adapter === adapter)
  const [only] = choices
  if (!only) {
    const names = [...new Set(fitting.map((module) => module.adapter))].join(', ')
    throw new UsageError(`--adapter must be one of ${names}`)
  }
  if (choices.length === 1) return only
  context.terminal.err(
    choices.map((module, i) => `  ${i + 1}  ${module.adapter} (${ROLE_WORDS[module.role]})\n`).join(''),
  )
  const answer = await ask(context, 'Number of the adapter', '--adapter')
  const chosen = choices[Number(answer) - 1]
  if (!chosen) throw new UsageError(`"${answer}" is not a number of the list`)
  return chosen
}

/** Members given as options are not asked for; in a script the check names what is missing. */
async function askSettings(
  context: Context,
  module: AdapterModule,
  settings: Record<string, unknown>,
  isScript: boolean,
): Promise<void> {
  if (isScript) return
  const prompts = module.prompts ?? []
  const secrets = module.secrets
    .filter((path) => !prompts.some((prompt) => prompt.path === path))
    .map((path): SettingPrompt => ({ path, question: path, isOptional: true }))
  for (const prompt of [...prompts, ...secrets]) {
    if (hasMember(settings, prompt.path) || !isAsked(prompt, settings)) continue
    const isSecret = module.secrets.includes(prompt.path)
    const answer = await askUntilUsable(context, prompt, isSecret)
    if (answer !== undefined)
      setMember(settings, prompt.path, isSecret ? secretReference(answer) : answerValue(answer, prompt))
  }
}

const TRIES = 3

/** A slip costs one more question, not all answers so far. Undefined: left out. */
async function askUntilUsable(context: Context, prompt: SettingPrompt, isSecret: boolean): Promise<string | undefined> {
  let problem = ''
  for (let n = 0; n < TRIES; n += 1) {
    if (problem !== '') context.terminal.err(`${problem}\n`)
    const text = (await ask(context, questionOf(prompt, isSecret), `--set ${prompt.path}`)).trim()
    const answer = text === '' ? (prompt.default ?? '') : text
    if (answer === '' && prompt.isOptional) return undefined
    if (answer === '') problem = `${prompt.path} is needed`
    else if (prompt.choices && !prompt.choices.includes(answer))
      problem = `${prompt.path} must be one of ${prompt.choices.join(', ')}`
    else return answer
  }
  throw new UsageError(problem)
}

function questionOf(
  { question, choices, default: fallback, isOptional, kind }: SettingPrompt,
  isSecret: boolean,
): string {
  const hints = [
    ...(isSecret ? ['the name of an environment variable, or file:PATH'] : []),
    ...(choices ? [choices.join(', ')] : []),
    ...(kind === 'list' ? ['separated by commas'] : []),
    ...(kind === 'boolean' ? ['yes or no'] : []),
    ...(fallback === undefined ? [] : [`default ${fallback}`]),
    ...(isOptional ? ['may be empty'] : []),
  ]
  return hints.length === 0 ? question : `${question} (${hints.join('; ')})`
}

async function ask(context: Context, question: string, option: string): Promise<string> {
  const answer = await context.terminal.ask(`${context.style.bold(question)}: `)
  if (answer === undefined)
    throw new CommandFailure(`${option} is missing, and this is not an interactive terminal`, { exit: EXIT.declined })
  return answer
}

/** The file with one more connection; its other members stay as they are. */
function withConnection(before: string, path: string, connection: object): string {
  try {
    const file = JSON.parse(before) as { connections?: unknown }
    if (!Array.isArray(file.connections)) throw new Error('no list')
    return `${JSON.stringify({ ...file, connections: [...(file.connections as unknown[]), connection] }, null, 2)}\n`
  } catch {
    throw new CommandFailure(`${path} cannot be read as a list of connections; nothing was written`)
  }
}

/** A reader finds the old file or the new one, never a part. */
function writeWhole(path: string, text: string): void {
  const fresh = `${path}.new`
  writeFileSync(fresh, text)
  renameSync(fresh, path)
}
