/**
 * Where a connection fetches its files by itself: a mailbox or a folder on an SFTP server. A member `fetch` of the settings of
 * every connection that takes files and that an owner made; connections of VENDORS_FILE read folders of the server instead.
 */
import { type Static, Type } from 'typebox'
import { integer, oneOf, text } from '../../lib/validator.ts'
import type { FileKind, SettingPrompt } from '../adapter-module.ts'
import { filledText, optionalText, settingsCheck, strict } from '../settings-check.ts'

const KINDS = ['price_list', 'reply', 'dex', 'sales', 'planogram'] as const satisfies readonly FileKind[]
const optional = Type.Optional
const isAddress = (value: string): boolean => /^[^\s@<>,;"\p{Cc}]+@[^\s@<>,;"\p{Cc}]+$/u.test(value)
const isHost = (value: string): boolean => /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})$|^[0-9A-Fa-f:]{2,39}$/.test(value)
/** A name, or a pattern with `*`; no folders. */
const namePattern = () => text('a name such as prices*.xlsx', (value) => /^[^\\/\p{Cc}[\]{}]{1,100}$/u.test(value))

const Fetch = Type.Object(
  {
    via: oneOf(['mailbox', 'sftp']),
    host: text('the name of a host', isHost),
    port: optional(integer(1, 65_535)),
    user: filledText(),
    password: optional(text('text', (value) => value !== '')),
    /** OpenSSH or PEM, without a passphrase. */
    private_key: optional(
      text('a private key that begins with -----BEGIN', (value) => value.startsWith('-----BEGIN ')),
    ),
    folder: optionalText(),
    /** Where what was read is moved to. */
    done_folder: optionalText(),
    senders: optional(
      Type.Array(text('an e-mail address', isAddress), { minItems: 1, expected: 'a list of e-mail addresses' }),
    ),
    /** As the own mail server calls itself in Authentication-Results. */
    authenticated_by: optional(text('a name such as mx.example.com', (value) => /^[A-Za-z0-9._-]{1,200}$/.test(value))),
    host_key: optional(
      text('SHA256: and 43 characters, as the test read shows it', (value) => /^SHA256:[A-Za-z0-9+/]{43}$/.test(value)),
    ),
    files: Type.Object(
      Object.fromEntries(
        KINDS.map((kind) => [
          kind,
          optional(Type.Array(namePattern(), { minItems: 1, maxItems: 20, expected: 'a list of names' })),
        ]),
      ),
      strict,
    ),
  },
  strict,
)
const Holder = Type.Object({ fetch: Fetch }, strict)

export type FetchSettings = Omit<Static<typeof Fetch>, 'files'> & {
  readonly files: { readonly [kind in FileKind]?: readonly string[] }
}

export const FETCH_SECRETS = ['fetch.password', 'fetch.private_key'] as const

let check: ReturnType<typeof settingsCheck<typeof Holder>> | undefined

/** `kinds`: of the files that the connection takes. */
export function checkFetch(
  given: unknown,
  kinds: readonly FileKind[],
): { readonly problems: readonly string[]; readonly fetch?: FetchSettings } {
  check ??= settingsCheck(Holder, ({ fetch = {} }) => {
    const { via, password, private_key: key, senders, host_key: hostKey, folder, files = {} } = fetch
    const named = Object.keys(files)
    return [
      ...(password === undefined && (via === 'mailbox' || key === undefined) ? ['fetch.password is missing'] : []),
      ...(via === 'mailbox' && senders === undefined ? ['fetch.senders is missing'] : []),
      ...(via === 'sftp' && folder === undefined ? ['fetch.folder is missing'] : []),
      ...(via === 'mailbox' && (key !== undefined || hostKey !== undefined)
        ? ['fetch.private_key and fetch.host_key are for SFTP only']
        : []),
      ...(via === 'sftp' && (senders !== undefined || fetch.authenticated_by !== undefined)
        ? ['fetch.senders and fetch.authenticated_by are for a mailbox only']
        : []),
      ...(named.length === 0 ? ['fetch.files must say which files are taken'] : []),
    ]
  })
  const checked = check({ fetch: given })
  if (!checked.ok) return { problems: checked.problems }
  const fetch = checked.settings.fetch as FetchSettings
  const foreign = Object.keys(fetch.files).filter((kind) => !kinds.includes(kind as FileKind))
  return foreign.length > 0
    ? { problems: foreign.map((kind) => `fetch.files.${kind} is no file of this connection`) }
    : { problems: [], fetch }
}

const fetches = (...isOneOf: readonly string[]) => ({ path: 'fetch.via', isOneOf })
const both = fetches('mailbox', 'sftp')

const NAMES: Readonly<Record<FileKind, readonly [holds: string, example: string]>> = {
  price_list: ['price lists', 'prices*.xlsx'],
  reply: ['replies to orders', '*.edi'],
  dex: ['DEX files', '*.dex'],
  sales: ['sales exports', 'sales*.csv'],
  planogram: ['planograms', 'planogram*.csv'],
}

export const fetchPrompts = (kinds: readonly FileKind[]): readonly SettingPrompt[] =>
  kinds.length === 0
    ? []
    : [
        {
          path: 'fetch.via',
          question: 'Fetch files by itself every ten minutes, from a mailbox or an SFTP folder; empty: no',
          choices: ['mailbox', 'sftp'],
          isOptional: true,
        },
        { path: 'fetch.host', question: 'Fetch: host, such as imap.example.com', onlyIf: both },
        {
          path: 'fetch.port',
          question: 'Fetch: port; empty: 993 of a mailbox, 22 of SFTP',
          kind: 'number',
          isOptional: true,
          onlyIf: both,
        },
        { path: 'fetch.user', question: 'Fetch: user', onlyIf: both },
        { path: 'fetch.password', question: 'Fetch: password', isOptional: true, onlyIf: both },
        {
          path: 'fetch.private_key',
          question: 'Fetch: private key in place of a password',
          isOptional: true,
          onlyIf: fetches('sftp'),
        },
        {
          path: 'fetch.host_key',
          question: 'Fetch: host key of the server. Leave it empty, test, and compare the one shown with the supplier',
          isOptional: true,
          onlyIf: fetches('sftp'),
        },
        {
          path: 'fetch.senders',
          question: 'Fetch: e-mail addresses whose mails are read',
          kind: 'list',
          onlyIf: fetches('mailbox'),
        },
        {
          path: 'fetch.authenticated_by',
          question:
            'Fetch: name of your mail server that checks senders, as the test read shows it; empty: every file waits for your word, because a sender can be forged',
          isOptional: true,
          onlyIf: fetches('mailbox'),
        },
        {
          path: 'fetch.folder',
          question: 'Fetch: folder; empty: INBOX',
          isOptional: true,
          onlyIf: fetches('mailbox'),
        },
        { path: 'fetch.folder', question: 'Fetch: folder, such as /outgoing', onlyIf: fetches('sftp') },
        {
          path: 'fetch.done_folder',
          question: 'Fetch: folder that read mails or files are moved to; empty: they stay',
          isOptional: true,
          onlyIf: both,
        },
        ...kinds.map((kind): SettingPrompt => {
          const [holds, example] = NAMES[kind]
          return {
            path: `fetch.files.${kind}`,
            question: `Fetch: names of ${holds}, such as ${example}`,
            kind: 'list',
            isOptional: true,
            onlyIf: both,
          }
        }),
      ]

export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(host)

/** Which of the files it is. A name that fits none, or two, is nobody's guess. */
export function kindOfName(name: string, files: FetchSettings['files']): FileKind | { readonly problem: string } {
  const kinds = KINDS.filter((kind) => files[kind]?.some((pattern) => fits(name, pattern)))
  const [kind] = kinds
  if (kind === undefined) return { problem: 'its name fits none of the names of files that are taken' }
  return kinds.length === 1 ? kind : { problem: `its name fits ${kinds.join(' and ')}` }
}

/** `*` stands for any characters; case does not matter. */
function fits(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.toLowerCase().split('*')
  const text = name.toLowerCase()
  if (rest.length === 0) return text === first
  const last = rest.pop() ?? ''
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found === -1 || found + part.length > text.length - last.length) return false
    at = found + part.length
  }
  return true
}
