/** Files that people bring: price lists, DEX files, replies, exports, planograms. Beyond the contract. */
import { type Static, Type } from 'typebox'
import { Count, Namespace, Timestamp, UcpEnvelope } from '../../common.ts'
import { answer, list, oneOf, request } from '../../schema-helpers.ts'
import { FILE_KINDS, FileKind } from './hosted.ts'

export interface UploadedFile {
  readonly name: string
  readonly bytes: Uint8Array
}

const UploadedFile = Type.Unsafe<UploadedFile>({
  format: 'binary',
  description: 'At most 16 MB.',
})

/** Sent as multipart/form-data. */
export const FileUpload = request('FileUpload', {
  file: UploadedFile,
  kind: oneOf([...FILE_KINDS, 'counts'], {
    title: 'UploadKind',
    description: '`counts`: a workbook whose rows are only shown, with `dry_run`.',
  }),
  answers: Type.Optional(
    Type.String({
      maxLength: 20_000,
      description: 'JSON: the answers to questions of the preview so far. An owner also stores them with the file.',
    }),
  ),
  written_at: Type.Optional(Type.String({ maxLength: 64, description: 'When the file was last changed.' })),
})
export type FileUpload = Static<typeof FileUpload>

const ConnectionFile = answer('ConnectionFile', {
  id: Type.String(),
  namespace: Namespace,
  kind: FileKind,
  name: Type.String(),
  size: Count,
  state: oneOf(['used', 'waiting', 'discarded', 'replaced'], {
    title: 'FileState',
    description: '`waiting`: for the word of an owner.',
  }),
  summary: Type.String(),
  received_at: Timestamp,
  received_by: Type.Optional(Type.String()),
})
export type ConnectionFile = Static<typeof ConnectionFile>

export const ConnectionFileList = answer('ConnectionFileList', { ucp: UcpEnvelope, files: list(ConnectionFile) })

const JSON_OBJECT = Type.Record(Type.String(), Type.Unknown())

const FilePreview = answer('FilePreview', {
  summary: Type.String(),
  usable: Type.Boolean(),
  examples: list(Type.String()),
  /** Of a price list: what the file and the answers say, for the settings of the connection. */
  settings: Type.Optional(JSON_OBJECT),
  header: list(Type.String()),
  questions: list(
    answer('FileQuestion', {
      code: Type.String(),
      text: Type.String(),
      choices: list(answer('FileChoice', { label: Type.String(), answers: JSON_OBJECT })),
    }),
  ),
  tables: list(
    answer('PreviewTable', {
      title: Type.String(),
      columns: list(Type.String()),
      rows: list(list(Type.String())),
      more: Count,
    }),
  ),
  left_out: list(answer('LeftOutRow', { where: Type.String(), reason: Type.String() })),
  left_out_count: Count,
  notes: list(Type.String()),
  waits_for_owner: Type.Boolean({ description: 'It cancels or lowers an order, so an owner decides.' }),
})
export type FilePreview = Static<typeof FilePreview>

export const UploadAnswer = answer('UploadAnswer', {
  ucp: UcpEnvelope,
  preview: Type.Optional(FilePreview),
  file: Type.Optional(ConnectionFile),
})

export const FileParams = Type.Object({ namespace: Namespace, id: Type.String({ maxLength: 64 }) })
export const FileDecision = request('FileDecision', {
  use: Type.Boolean({ description: '`false` discards it.' }),
})

export const FileAnswer = answer('FileAnswer', { ucp: UcpEnvelope, file: ConnectionFile })
