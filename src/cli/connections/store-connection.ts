/**
 * `vendops connect`: adds or changes a connection of the running service, with the same operations and questions as the
 * console. The service keeps it, its secrets and its files.
 */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { type Client, VendopsError } from '../../client/index.ts'
import type { FilePreview } from '../../contract/shapes/connections/files.ts'
import type { ConnectionDetails, ConnectionKind, ConnectionTest } from '../../contract/shapes/connections/hosted.ts'
import { parseNamespace, roleOf } from '../../kernel/ids.ts'
import { clearMember, hasMember, setMember } from '../../lib/members.ts'
import { type Fields, isFields } from '../../lib/objects.ts'
import { type SettingPrompt, isNamed } from '../../vendors/adapter-module.ts'
import { ADAPTERS } from '../../vendors/adapters.ts'
import type { Context } from '../context.ts'
import { type Exit, CommandFailure, EXIT, UsageError } from '../exit.ts'
import { askSetting, askToChoose, askUntil, askWhich, confirmExamples } from './questions.ts'
import { answerValue, isAsked, optionValue, secretReference } from './settings.ts'

export interface StoredAnswers {
  readonly namespace: string | undefined
  readonly adapter: string | undefined
  readonly settings: readonly (readonly [string, string])[]
  /** Kind and path, such as `price_list` and `list.xlsx`. */
  readonly files: readonly (readonly [string, string])[]
  readonly isReadOnly: boolean
  readonly idPrefix: string | undefined
  readonly acceptsFailedRead: boolean
}

type Settings = Record<string, unknown>
type FileKind = ConnectionKind['files'][number]

interface Asking {
  readonly context: Context
  readonly kind: ConnectionKind
  readonly namespace: string
  readonly prompts: readonly SettingPrompt[]
  readonly secrets: ReadonlySet<string>
  readonly settings: Settings
  readonly files: BroughtFile[]
  /** Also what is neither a setting nor a file. */
  readonly basics: {
    readonly read_only?: boolean
    readonly id_prefix?: string
    time_zone?: string
  }
  /** Nothing was answered on the command line. */
  readonly isAsked: boolean
}

interface BroughtFile {
  readonly kind: FileKind
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

export async function storeConnection(context: Context, answers: StoredAnswers): Promise<Exit> {
  const { client } = context
  const { kinds } = await client.listConnectionKinds()
  const kindOf = (name: string) => kinds.filter(({ role }) => role === roleOf(requireNamespace(name)))
  let { namespace } = answers
  let before = namespace === undefined ? undefined : await findStored(client, namespace)
  const kind = await chooseKind(
    context,
    namespace === undefined ? kinds : kindOf(namespace),
    before?.adapter ?? answers.adapter,
  )
  if (namespace === undefined) {
    namespace = await askName(context, kind)
    before = await findStored(client, namespace)
    if (before && before.adapter !== kind.adapter)
      throw new CommandFailure(`${namespace} is there already, as ${before.adapter}`)
  }
  const asking = startAsking(context, kind, namespace, answers, before)
  await takeAnswers(asking, before, answers)
  const read = await saveAndRead(asking, before, answers.acceptsFailedRead)
  const details = await client.getConnection({ params: { namespace } })
  await context.writeJson({ connection: details, read })
  await context.writeLines([
    `${namespace} is ${before ? 'changed' : 'added'}; the service uses it now`,
    ...(read.ok ? [] : ['it is kept although it cannot be read yet']),
  ])
  context.suggest('connections', 'shows when each connection was last read')
  return EXIT.ok
}

function requireNamespace(text: string) {
  const id = parseNamespace(text)
  if (!id) throw new UsageError(`"${text}" must end in -supply or -machine`)
  return id
}

/** Only an owner sees settings, so this also tells at once that somebody else asks. */
async function findStored(client: Client, namespace: string): Promise<ConnectionDetails | undefined> {
  requireNamespace(namespace)
  try {
    return await client.getConnection({ params: { namespace } })
  } catch (failure) {
    if (!(failure instanceof VendopsError)) throw failure
    if (failure.code === 'not_found') return undefined
    if (failure.code === 'forbidden' || failure.code === 'not_editable')
      throw new CommandFailure(
        failure.code === 'forbidden' ? 'only an owner adds or changes connections' : failure.message,
        {
          code: failure.code,
          exit: failure.code === 'forbidden' ? EXIT.unauthorized : EXIT.failed,
          hint:
            failure.code === 'forbidden'
              ? "vendops login <url>   with an owner's key; or --file <path> writes a file for VENDORS_FILE on the server"
              : '--file <path>   writes a file for VENDORS_FILE on the server',
        },
      )
    throw failure
  }
}

async function chooseKind(
  context: Context,
  fitting: readonly ConnectionKind[],
  adapter: string | undefined,
): Promise<ConnectionKind> {
  const choices =
    adapter === undefined
      ? fitting
      : fitting.filter((kind) =>
          ADAPTERS.some(
            (module) => module.role === kind.role && isNamed(module, adapter) && isNamed(module, kind.adapter),
          ),
        )
  const [only] = choices
  if (!only)
    throw new UsageError(
      `--adapter must be one of ${[...new Set(fitting.map((kind) => kind.adapter))].join(', ')}; others only with --file`,
    )
  if (choices.length === 1) return only
  const labels = choices.map((kind) => ({
    label: `${kind.adapter} (${kind.role === 'supply' ? 'supplier' : 'machine platform'})`,
  }))
  return choices[await askToChoose(context, { text: 'Adapter:', choices: labels })] ?? only
}

const askName = (context: Context, { role }: ConnectionKind): Promise<string> =>
  askUntil(context, `Name of the connection, ending in -${role}`, 'connection', (text) => {
    const id = parseNamespace(text)
    return id && roleOf(id) === role ? undefined : `"${text}" must be a name such as depot-${role}, in small letters`
  })

function startAsking(
  context: Context,
  kind: ConnectionKind,
  namespace: string,
  answers: StoredAnswers,
  before: ConnectionDetails | undefined,
): Asking {
  const module = ADAPTERS.find(({ adapter, role }) => adapter === kind.adapter && role === kind.role)
  const prompts = kind.prompts.map((prompt): SettingPrompt => {
    const { path, question, choices, optional, default: fallback, only_if: condition } = prompt
    const parse = module?.prompts?.find((each) => each.path === path)?.parse
    return {
      path,
      question,
      ...(prompt.kind !== 'machines' && { kind: prompt.kind }),
      ...(parse && { parse }),
      ...(choices && { choices }),
      ...(optional && { isOptional: true }),
      ...(fallback !== undefined && { default: fallback }),
      ...(condition && {
        onlyIf: { path: condition.path, ...(condition.is_one_of && { isOneOf: condition.is_one_of }) },
      }),
      ...(prompt.in_file && { isOnRequest: true }),
    }
  })
  const settings = structuredClone(before?.settings ?? {}) as Settings
  const timeZone = before?.time_zone
  const idPrefix = answers.idPrefix ?? before?.id_prefix
  const asking: Asking = {
    context,
    kind,
    namespace,
    prompts,
    secrets: new Set(kind.prompts.filter(({ secret }) => secret).map(({ path }) => path)),
    settings,
    files: answers.files.map(([fileKind, path]) => readFile(kind, fileKind, path)),
    basics: {
      ...((answers.isReadOnly || before?.read_only) && { read_only: true }),
      ...(idPrefix !== undefined && { id_prefix: idPrefix }),
      ...(timeZone !== undefined && { time_zone: timeZone }),
    },
    isAsked: answers.settings.length === 0 && answers.files.length === 0,
  }
  for (const [path, text] of answers.settings) {
    const prompt = prompts.find((each) => each.path === path)
    if (path === 'time_zone') asking.basics.time_zone = text
    else if (asking.secrets.has(path)) setMember(settings, path, secretText(context, path, text))
    else if (module) setMember(settings, path, optionValue(module, path, text))
    else setMember(settings, path, answerValue(text, prompt))
  }
  return asking
}

/** Secrets are never options, which a shell remembers: the option says where this computer has it. */
function secretText({ env }: Context, path: string, text: string): string {
  const reference = secretReference(text)
  const found = 'env' in reference ? env[reference.env] : readText(reference.file).trim()
  if (!found)
    throw new CommandFailure(
      'env' in reference
        ? `${path} names the variable ${reference.env}, which is not set here`
        : `${path} names a file that is empty`,
    )
  return found
}

function readText(path: string): string {
  return Buffer.from(readBytes(path)).toString('utf8')
}

function readBytes(path: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(path))
  } catch (problem) {
    throw new CommandFailure(`${path} cannot be read (${(problem as NodeJS.ErrnoException).code ?? 'unknown'})`)
  }
}

function readFile({ files }: ConnectionKind, kind: string, path: string): BroughtFile {
  const taken = files.find((each) => each === kind)
  if (!taken) throw new UsageError(`--bring ${kind}=…: this connection takes ${files.join(', ') || 'no files'}`)
  return { kind: taken, name: basename(path), bytes: readBytes(path) }
}

async function takeAnswers(
  asking: Asking,
  before: ConnectionDetails | undefined,
  answers: StoredAnswers,
): Promise<void> {
  const { context, kind, prompts, settings } = asking
  if (isTold(kind)) await lookAtList(asking, before)
  if (!asking.isAsked) return
  if (!before) return askSettings(asking, prompts)
  if (answers.isReadOnly || answers.idPrefix !== undefined) return
  const paths = prompts.map(({ path }) => path)
  for (;;) {
    const answer = await askUntil(context, 'Setting to change (empty: no further one)', '--set', (text) =>
      text === '' || paths.includes(text) ? undefined : `one of ${paths.join(', ')}`,
    )
    if (answer === '') return
    clearMember(settings, answer)
    await askSettings(
      asking,
      prompts.filter(({ path }) => path === answer),
      true,
    )
  }
}

/** Members that are there already are not asked for; what a file tells only on request. */
async function askSettings(asking: Asking, prompts: readonly SettingPrompt[], isRequested = false): Promise<void> {
  const { context, settings, secrets } = asking
  for (const prompt of prompts) {
    if (hasMember(settings, prompt.path) || !isAsked(prompt, settings)) continue
    if (prompt.isOnRequest && !isRequested) continue
    const answer = secrets.has(prompt.path) ? await askSecret(context, prompt) : await askSetting(context, prompt)
    if (answer !== undefined)
      setMember(settings, prompt.path, secrets.has(prompt.path) ? answer : answerValue(answer, prompt))
  }
}

async function askSecret({ terminal, style }: Context, { path, question, isOptional }: SettingPrompt) {
  for (;;) {
    const answer = await terminal.askSecret(
      style.bold(`${question}${isOptional ? ' (may be empty)' : ''}, not shown while you type: `),
    )
    if (answer === undefined)
      throw new CommandFailure(`--set ${path} is missing, and this is not an interactive terminal`, {
        exit: EXIT.declined,
      })
    if (answer.trim() !== '') return answer.trim()
    if (isOptional) return undefined
    terminal.err(`${path} is needed\n`)
  }
}

const LIST_MEMBER = 'catalog'

/** Whether its settings come from a price list. */
const isTold = ({ files, prompts }: ConnectionKind): boolean =>
  files.includes('price_list') && prompts.some((prompt) => prompt.in_file)

/** The service reads the list and says how; the person answers what it leaves open. */
async function lookAtList(asking: Asking, before: ConnectionDetails | undefined): Promise<void> {
  const { context, settings, files } = asking
  if (!files.some(({ kind }) => kind === 'price_list')) {
    if (before || !asking.isAsked) return
    const path = await askUntil(context, 'Path of the price list', '--bring price_list=<path>', (text) => {
      if (text === '') return 'the price list is needed'
      try {
        readBytes(text)
        return undefined
      } catch (problem) {
        return (problem as Error).message
      }
    })
    files.push(readFile(asking.kind, 'price_list', path))
  }
  const file = files.find(({ kind }) => kind === 'price_list')
  if (!file) return
  const own = settings[LIST_MEMBER]
  let answers: Fields = isFields(own) ? own : {}
  const inList = asking.prompts.filter(({ path }) => path.startsWith(`${LIST_MEMBER}.`))
  for (;;) {
    const preview = await dryRun(asking, file, answers)
    const [question] = preview.questions
    if (question && asking.isAsked) {
      const chosen = question.choices[await askToChoose(context, question)]
      answers = mergeColumns(answers, chosen?.answers ?? {})
      continue
    }
    await context.writeLines([
      preview.summary,
      ...preview.examples.map((example) => `  ${example}`),
      ...preview.notes.map((note) => `! ${note}`),
    ])
    if (question || !preview.usable)
      if (!asking.isAsked)
        throw new CommandFailure(`nothing was saved: ${question?.text ?? preview.summary}`, {
          hint: 'say it with --set, or run vendops connect without options, which asks',
        })
    const change = !asking.isAsked
      ? undefined
      : preview.usable
        ? await confirmExamples(context, inList)
        : await askWhich(context, inList)
    settings[LIST_MEMBER] = structuredClone(preview.settings ?? answers)
    if (!change) return
    clearMember(settings, change.path)
    await askSettings(asking, [change], true)
    const changed = settings[LIST_MEMBER]
    answers = isFields(changed) ? changed : {}
  }
}

async function dryRun(
  { context, namespace }: Asking,
  { kind, name, bytes }: BroughtFile,
  answers: Fields,
): Promise<FilePreview> {
  const { preview } = await context.withProgress('reading', () =>
    context.client.uploadFile({
      params: { namespace },
      query: { dry_run: 'true' },
      body: { file: { name, bytes }, kind, answers: JSON.stringify(answers) },
    }),
  )
  if (!preview) throw new CommandFailure('the service did not say how it reads the file')
  return preview
}

function mergeColumns(known: Fields, more: Fields): Fields {
  const [columns, changed] = [known['columns'], more['columns']]
  return { ...known, ...more, ...(isFields(columns) && isFields(changed) && { columns: { ...columns, ...changed } }) }
}

type Read = Pick<ConnectionTest, 'ok' | 'summary' | 'examples' | 'notes'>

/** What needs no files is read before it is saved; the others once theirs are there. */
async function saveAndRead(
  asking: Asking,
  before: ConnectionDetails | undefined,
  acceptsFailedRead: boolean,
): Promise<Read> {
  const { context, namespace, kind, files } = asking
  const { client } = context
  const params = { namespace }
  const request = () => ({ namespace, adapter: kind.adapter, settings: asking.settings, ...asking.basics })
  const change = () => ({ settings: asking.settings, ...asking.basics })
  const needsFiles = isTold(kind) || kind.files.some((each) => each !== 'price_list')
  const isReadFirst = !before && !needsFiles && files.length === 0
  let tried = isReadFirst ? await untilAccepted(asking, () => client.tryConnection({ body: request() })) : undefined
  while (tried) {
    await showRead(context, tried)
    if (tried.ok) break
    const other = await confirmOrChange(context, asking, acceptsFailedRead)
    if (!other) break
    clearMember(asking.settings, other.path)
    await askSettings(asking, [other], true)
    tried = await untilAccepted(asking, () => client.tryConnection({ body: request() }))
  }
  await untilAccepted(asking, () =>
    before ? client.changeConnection({ params, body: change() }) : client.addConnection({ body: request() }),
  )
  for (const { kind: fileKind, name, bytes } of files) {
    const { preview } = await client.uploadFile({ params, query: {}, body: { file: { name, bytes }, kind: fileKind } })
    if (preview) await context.writeLines([`${name}: ${preview.summary}`])
  }
  if (tried) return tried
  const read = await context.withProgress('reading', () => client.testConnection({ params }))
  await showRead(context, read)
  return read
}

/** Asks again for the settings that the service names, until it takes them. */
async function untilAccepted<T>(asking: Asking, send: () => Promise<T>): Promise<T> {
  const { context, prompts, settings } = asking
  for (;;) {
    try {
      return await context.withProgress('asking the service', send)
    } catch (failure) {
      const isAboutSettings =
        failure instanceof VendopsError && (failure.code === 'invalid' || failure.code === 'missing')
      if (!asking.isAsked || !isAboutSettings) throw failure
      context.writeMessages(failure.messages)
      const named = prompts.filter(({ path }) =>
        failure.messages.some((message) => message.path === `$.settings.${path}`),
      )
      const again = named.length > 0 ? named : [await askWhich(context, prompts)]
      for (const { path } of again) clearMember(settings, path)
      await askSettings(asking, again, true)
    }
  }
}

async function showRead(context: Context, { ok, summary, examples, notes }: Read): Promise<void> {
  await context.writeLines([
    ok ? `read: ${summary}` : `the test read failed: ${summary}`,
    ...notes.map((note) => `! ${note}`),
    ...examples.map((example) => `  ${example}`),
  ])
}

/** After a test read that failed: the setting to change, or undefined to keep it all the same. */
async function confirmOrChange(
  context: Context,
  { prompts, isAsked: mayAsk }: Asking,
  isAccepted: boolean,
): Promise<SettingPrompt | undefined> {
  let change: SettingPrompt | undefined
  const offered = mayAsk ? prompts : []
  const other = offered[0] ? `, or the name of a setting to change it (such as ${offered[0].path})` : ''
  await context.confirm(
    `Type save to add it all the same${other}: `,
    (text) => {
      change = offered.find(({ path }) => path === text)
      return change !== undefined || text === 'save'
    },
    isAccepted,
  )
  return change
}
