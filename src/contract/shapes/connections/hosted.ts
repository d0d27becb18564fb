/** Connections that an owner makes: kinds with their questions, settings, and a test read. Beyond the contract. */
import { type Static, Type } from 'typebox'
import { Namespace, Timestamp, UcpEnvelope } from '../../common.ts'
import { answer, list, oneOf, request } from '../../schema-helpers.ts'

const SettingPrompt = answer('SettingPrompt', {
  path: Type.String({ description: 'Of the member of `settings`, such as `order.to`.' }),
  question: Type.String(),
  kind: oneOf(['text', 'number', 'boolean', 'list', 'machines']),
  secret: Type.Optional(Type.Boolean({ description: 'Write-only: never in an answer.' })),
  choices: Type.Optional(list(Type.String())),
  optional: Type.Optional(Type.Boolean()),
  default: Type.Optional(Type.String()),
  only_if: Type.Optional(
    answer('SettingCondition', { path: Type.String(), is_one_of: Type.Optional(list(Type.String())) }),
  ),
  in_file: Type.Optional(Type.Boolean({ description: 'The file tells it; asked only to change it.' })),
})

export const FILE_KINDS = ['price_list', 'reply', 'dex', 'sales', 'planogram'] as const
export const FileKind = oneOf(FILE_KINDS, { title: 'FileKind' })

const ConnectionKind = answer('ConnectionKind', {
  adapter: Type.String(),
  role: oneOf(['supply', 'machine']),
  files: list(FileKind),
  prompts: list(SettingPrompt),
})
export type ConnectionKind = Static<typeof ConnectionKind>

export const ConnectionKindList = answer('ConnectionKindList', { ucp: UcpEnvelope, kinds: list(ConnectionKind) })

const SETTINGS = Type.Record(Type.String(), Type.Unknown(), {
  description: 'As in VENDORS_FILE, without files and folders. Secrets as text; left out: they stay; null: taken away.',
})

const CHANGEABLE = {
  settings: SETTINGS,
  read_only: Type.Optional(Type.Boolean()),
  time_zone: Type.Optional(Type.String({ maxLength: 64, description: 'IANA name.' })),
  id_prefix: Type.Optional(Type.String({ maxLength: 32, description: 'Put before the machine ids of the platform.' })),
}

export const ConnectionRequest = request('ConnectionRequest', {
  namespace: Namespace,
  adapter: Type.String({ maxLength: 64 }),
  ...CHANGEABLE,
})
export type ConnectionRequest = Static<typeof ConnectionRequest>

export const ConnectionChange = request('ConnectionChange', CHANGEABLE)
export type ConnectionChange = Static<typeof ConnectionChange>

export const ConnectionDetails = answer('ConnectionDetails', {
  ucp: UcpEnvelope,
  namespace: Namespace,
  role: oneOf(['supply', 'machine']),
  adapter: Type.String(),
  settings: Type.Record(Type.String(), Type.Unknown(), { description: 'Without secrets.' }),
  secrets: list(Type.String({ description: 'Path of a secret that is set.' })),
  read_only: Type.Boolean(),
  time_zone: Type.Optional(Type.String()),
  id_prefix: Type.Optional(Type.String()),
  created_at: Type.Optional(Timestamp),
  changed_at: Type.Optional(Timestamp),
  ready: Type.Boolean(),
  problems: list(Type.String({ description: 'Why it cannot be used on this instance.' })),
})
export type ConnectionDetails = Static<typeof ConnectionDetails>

export const ConnectionTest = answer('ConnectionTest', {
  ucp: UcpEnvelope,
  ok: Type.Boolean(),
  summary: Type.String({ description: 'What was read, or why nothing was.' }),
  capabilities: list(Type.String()),
  examples: list(Type.String({ description: 'A product as it would be bought.' })),
  notes: list(Type.String()),
})
export type ConnectionTest = Static<typeof ConnectionTest>
