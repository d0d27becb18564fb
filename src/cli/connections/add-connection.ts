/** `vendops connect --file`: asks for a connection, checks it, reads the vendor once and writes it to the file. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type AdapterModule, isNamed, type SettingPrompt } from '../../vendors/adapter-module.ts'
import { ADAPTERS } from '../../vendors/adapters.ts'
import { acmeConnections } from '../../vendors/connections/connection.ts'
import { readConnections } from '../../vendors/connections/read-connections.ts'
import { type Role, parseNamespace, roleOf } from '../../kernel/ids.ts'
import type { Context } from '../context.ts'
import { testConnection } from '../../vendors/connections/test-connection.ts'
import { describeCapabilities } from '../doctor/connection-checks.ts'
import { type Exit, CommandFailure, EXIT, UsageError } from '../exit.ts'
import { hostConfig } from '../host.ts'
import { replaceFile } from '../replace-file.ts'
import { clearMember, hasMember, memberAt, setMember } from '../../lib/members.ts'
import { askSetting, askToChoose, askUntil, askWhich, confirmExamples } from './questions.ts'
import { answerValue, isAsked, optionValue, secretReference } from './settings.ts'

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
  const resolvePath = (name: string): string => resolve(dirname(path), name)
  const asking: Asking = { context, module, settings, resolvePath, currency: config.currency, guessed: undefined }
  if (isAsked) await askSettings(asking)
  else requireFolders(asking)

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
    while (isAsked && !checked.read.ok) {
      context.terminal.err(checked.read.problems.map((problem) => `${problem}\n`).join(''))
      const named = namedPrompts(module, settings, checked.read.problems)
      if (named.length === 0) named.push(await askWhich(context, promptsOf(module)))
      await changeSettings(asking, named)
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
    const { result, capabilities, notices, examples } = tested
    await context.writeLines([
      result.ok ? `read: ${result.value}` : `the test read failed: ${result.reason}, ${result.message}`,
      describeCapabilities(module.role, capabilities),
      ...notices,
      ...examples.map((example) => `  ${example}`),
    ])
    return { connection, after, result, capabilities, examples }
  }
  let attempt = await checkAndRead()
  for (;;) {
    const change = attempt.result.ok
      ? isAsked && attempt.examples.length > 0 && (await confirmExamples(context, promptsOf(module)))
      : await confirmOrChange(context, isAsked ? promptsOf(module) : [], answers.acceptsFailedRead)
    if (!change) break
    await changeSettings(asking, [change])
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
  const choices = adapter === undefined ? fitting : fitting.filter((module) => isNamed(module, adapter))
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
const namedPrompts = (module: AdapterModule, settings: Settings, problems: readonly string[]): SettingPrompt[] =>
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

/** A connection that is being asked for. */
interface Asking {
  readonly context: Context
  readonly module: AdapterModule
  readonly settings: Settings
  readonly resolvePath: (path: string) => string
  readonly currency: string
  /** What a file told, by path; undefined: nothing. */
  guessed: Readonly<Record<string, string>> | undefined
}

async function changeSettings(asking: Asking, prompts: readonly SettingPrompt[]): Promise<void> {
  for (const { path } of prompts) clearMember(asking.settings, path)
  await askSettings(asking, prompts)
}

/** Members that are there already are not asked for. */
async function askSettings(asking: Asking, chosen?: readonly SettingPrompt[]): Promise<void> {
  const { module, settings } = asking
  for (const prompt of chosen ?? promptsOf(module)) {
    if (hasMember(settings, prompt.path) || !isAsked(prompt, settings)) continue
    if (!chosen && (prompt.isOnRequest || (prompt.isInGuess && asking.guessed))) continue
    const isSecret = module.secrets.includes(prompt.path)
    const answer = await askOne(asking, prompt, isSecret)
    if (answer !== undefined)
      setMember(settings, prompt.path, isSecret ? secretReference(answer) : answerValue(answer, prompt))
    if (prompt.path === module.guess?.file) await guessAnswers(asking)
  }
}

/** Reads the file that the answers name, and asks what it leaves open; one that can never be read is asked for again. */
async function guessAnswers(asking: Asking): Promise<void> {
  const { context, module, settings, resolvePath, currency } = asking
  let said: unknown
  for (;;) {
    const guess = await module.guess?.from(settings, { resolvePath, currency, ...(said !== undefined && { said }) })
    if (!guess) return
    if (guess.problem !== undefined) {
      context.terminal.err(`${guess.problem}\n`)
      const file = promptsOf(module).filter(({ path }) => path === module.guess?.file)
      await changeSettings(asking, file)
      return
    }
    const [question] = guess.questions ?? []
    if (question) {
      said = question.choices[await askToChoose(context, question)]?.said
      continue
    }
    if (guess.found !== undefined) context.terminal.err(`${guess.found}\n`)
    takeGuess(asking, guess.answers)
    return
  }
}

/** Those of another file are forgotten. */
function takeGuess(asking: Asking, guessed: Asking['guessed']): void {
  const { module, settings } = asking
  asking.guessed = guessed
  for (const prompt of promptsOf(module)) {
    if (!prompt.isOnRequest && !prompt.isInGuess) continue
    const value = guessed?.[prompt.path]
    if (value === undefined) clearMember(settings, prompt.path)
    else setMember(settings, prompt.path, answerValue(value, prompt))
  }
}

/** What a script named: a folder that does not exist would lose orders or replies. */
function requireFolders({ module, settings, resolvePath }: Asking): void {
  for (const prompt of promptsOf(module)) {
    const value = memberAt(settings, prompt.path)
    const problem = prompt.isFolder && typeof value === 'string' ? folderProblem(prompt, value, resolvePath) : undefined
    if (problem !== undefined) throw new CommandFailure(`nothing was written: ${problem}`)
  }
}

function folderProblem(
  { path }: SettingPrompt,
  answer: string,
  resolvePath: (path: string) => string,
): string | undefined {
  const place = resolvePath(answer)
  const isFolder = existsSync(place) && statSync(place).isDirectory()
  return isFolder ? undefined : `${path}: there is no folder ${place}`
}

function askOne(asking: Asking, plain: SettingPrompt, isSecret: boolean): Promise<string | undefined> {
  const guess = asking.guessed?.[plain.path]
  const prompt = guess === undefined ? plain : { ...plain, default: guess }
  return askSetting(asking.context, prompt, {
    ...(isSecret && { hint: 'the name of an environment variable, or file:PATH' }),
    ...(prompt.isFolder && { problemOf: (answer: string) => folderProblem(prompt, answer, asking.resolvePath) }),
  })
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
