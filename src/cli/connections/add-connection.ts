/** `vendops connect`: asks for a connection, checks it, reads the vendor once and writes it to the file. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AdapterModule, SettingPrompt } from '../../vendors/adapter-module.ts'
import { ADAPTERS } from '../../vendors/adapters.ts'
import { acmeConnections } from '../../vendors/connections/connection.ts'
import { readConnections } from '../../vendors/connections/read-connections.ts'
import { type Role, parseNamespace, roleOf } from '../../kernel/ids.ts'
import type { Context } from '../context.ts'
import { describeCapabilities, testConnection } from '../doctor/connection-checks.ts'
import { type Exit, CommandFailure, EXIT, UsageError } from '../exit.ts'
import { hostConfig } from '../host.ts'
import { replaceFile } from '../replace-file.ts'
import { answerValue, isAsked, hasMember, optionValue, secretReference, setMember } from './settings.ts'

export interface ConnectionAnswers {
  readonly namespace: string | undefined
  readonly adapter: string | undefined
  readonly settings: readonly (readonly [string, string])[]
  readonly isReadOnly: boolean
  readonly idPrefix: string | undefined
  readonly file: string
  readonly acceptsFailedRead: boolean
}

type Settings = Record<string, unknown>

const ROLE_WORDS: Readonly<Record<Role, string>> = { supply: 'supplier', machine: 'machine platform' }

export async function addConnection(context: Context, answers: ConnectionAnswers): Promise<Exit> {
  const config = hostConfig(context.env)
  const path = resolve(answers.file)
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '{"connections": []}'
  const module = await chooseModule(context, answers)
  const namespace = answers.namespace ?? (await askName(context, module))
  const settings: Settings = {}
  for (const [name, text] of answers.settings) setMember(settings, name, optionValue(module, name, text))
  const isAsked = answers.settings.length === 0
  if (isAsked) await askSettings(context, module, settings)

  // Checked as the service will read it: with the connections that are there already.
  const facts = { currency: config.currency, timeZone: config.timeZone, connections: acmeConnections(config) }
  const check = () => {
    const connection = {
      namespace,
      adapter: module.adapter,
      currency: config.currency,
      ...(answers.isReadOnly && { read_only: true }),
      ...(answers.idPrefix !== undefined && { id_prefix: answers.idPrefix }),
      ...settings,
    }
    const after = withConnection(before, path, connection)
    const read = readConnections(path, facts, {
      variables: context.env,
      readFile: (file) => (resolve(file) === path ? after : readFileSync(file, 'utf8')),
    })
    return { connection, after, read }
  }
  const checkAndRead = async () => {
    let checked = check()
    for (let n = 0; n < TRIES && isAsked && !checked.read.ok; n += 1) {
      const named = namedPrompts(module, settings, checked.read.problems)
      if (named.length === 0) break
      context.terminal.err(checked.read.problems.map((problem) => `${problem}\n`).join(''))
      await changeSettings(context, module, settings, named)
      checked = check()
    }
    const { connection, after, read } = checked
    if (!read.ok)
      throw new CommandFailure(`nothing was written: ${read.problems.join('; ')}`, {
        hint: 'vendops connect   asks again',
      })
    const added = read.connections.find(({ basics }) => basics.namespace === namespace)
    if (!added) throw new CommandFailure(`nothing was written: ${namespace} is not in the file`)
    const tested = await context.withProgress('reading', () => testConnection(added, config.upstreamTimeoutMs))
    const { result, capabilities, notices } = tested
    await context.writeLines([
      result.ok ? `read: ${result.value}` : `the test read failed: ${result.reason}, ${result.message}`,
      describeCapabilities(module.role, capabilities),
      ...notices,
    ])
    return { connection, after, result, capabilities }
  }
  let attempt = await checkAndRead()
  while (!attempt.result.ok) {
    const change = await confirmOrChange(context, isAsked ? promptsOf(module) : [], answers.acceptsFailedRead)
    if (!change) break
    await changeSettings(context, module, settings, [change])
    attempt = await checkAndRead()
  }
  const { connection, after, result, capabilities } = attempt
  replaceFile(path, after)
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
  const answer = await askUntil(context, 'Number of the adapter', '--adapter', (text) =>
    choices[Number(text) - 1] ? undefined : `"${text}" is not a number of the list`,
  )
  return choices[Number(answer) - 1] ?? only
}

/** Checked at once: it is the first of many answers. */
const askName = (context: Context, { role }: AdapterModule): Promise<string> =>
  askUntil(context, `Name of the connection, ending in -${role}`, 'connection', (text) => {
    const id = parseNamespace(text)
    return id && roleOf(id) === role ? undefined : `"${text}" must be a name such as depot-${role}, in small letters`
  })

/** Prompts of a module, and its secrets that have none. */
function promptsOf({ prompts = [], secrets }: AdapterModule): readonly SettingPrompt[] {
  const others = secrets.filter((path) => !prompts.some((prompt) => prompt.path === path))
  return [...prompts, ...others.map((path): SettingPrompt => ({ path, question: path, isOptional: true }))]
}

/** Those of the settings that the problems name. */
const namedPrompts = (module: AdapterModule, settings: Settings, problems: readonly string[]) =>
  promptsOf(module).filter(
    ({ path }) => hasMember(settings, path) && problems.some((problem) => problem.split(/[\s:]+/).includes(path)),
  )

/** After a test read that failed: the setting to change, or undefined to write it all the same. */
async function confirmOrChange(
  context: Context,
  prompts: readonly SettingPrompt[],
  isAccepted: boolean,
): Promise<SettingPrompt | undefined> {
  let change: SettingPrompt | undefined
  const other = prompts[0] ? `, or the name of a setting to change it (such as ${prompts[0].path})` : ''
  await context.confirm(
    `Type write to add it all the same${other}: `,
    (text) => {
      change = prompts.find(({ path }) => path === text)
      return change !== undefined || text === 'write'
    },
    isAccepted,
  )
  return change
}

async function changeSettings(
  context: Context,
  module: AdapterModule,
  settings: Settings,
  prompts: readonly SettingPrompt[],
): Promise<void> {
  for (const { path } of prompts) setMember(settings, path, undefined)
  await askSettings(context, module, settings, prompts)
}

/** Members that are there already are not asked for. */
async function askSettings(
  context: Context,
  module: AdapterModule,
  settings: Settings,
  prompts: readonly SettingPrompt[] = promptsOf(module),
): Promise<void> {
  for (const prompt of prompts) {
    if (hasMember(settings, prompt.path) || !isAsked(prompt, settings)) continue
    const isSecret = module.secrets.includes(prompt.path)
    const answer = await askUntilUsable(context, prompt, isSecret)
    if (answer !== undefined)
      setMember(settings, prompt.path, isSecret ? secretReference(answer) : answerValue(answer, prompt))
  }
}

const TRIES = 3

/** A slip costs one more question, not all answers so far. */
async function askUntil(
  context: Context,
  question: string,
  option: string,
  problemOf: (answer: string) => string | undefined,
): Promise<string> {
  let problem: string | undefined
  for (let n = 0; n < TRIES; n += 1) {
    if (problem !== undefined) context.terminal.err(`${problem}\n`)
    const answer = (await ask(context, question, option)).trim()
    problem = problemOf(answer)
    if (problem === undefined) return answer
  }
  throw new UsageError(problem ?? question)
}

/** Undefined: left out. */
async function askUntilUsable(context: Context, prompt: SettingPrompt, isSecret: boolean): Promise<string | undefined> {
  const { path, choices, isOptional } = prompt
  const valueOf = (text: string) => (text === '' ? (prompt.default ?? '') : text)
  const text = await askUntil(context, questionOf(prompt, isSecret), `--set ${path}`, (typed) => {
    const answer = valueOf(typed)
    if (answer === '') return isOptional ? undefined : `${path} is needed`
    return choices && !choices.includes(answer) ? `${path} must be one of ${choices.join(', ')}` : undefined
  })
  return valueOf(text) || undefined
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
