/** Code and values of a stored text, beside its English sentence. */
import type { TextParams } from '../kernel/message.ts'
import { type RowOf, nullable, text } from './table.ts'

export const TEXT_COLUMNS = {
  code: nullable(text),
  /** JSON of TextParams. */
  params: nullable(text),
}

type TextColumns = RowOf<typeof TEXT_COLUMNS>

export const toTextColumns = ({
  code,
  params,
}: {
  readonly code?: string | undefined
  readonly params?: TextParams | undefined
}): TextColumns => ({ code: code ?? null, params: params === undefined ? null : JSON.stringify(params) })

export const parseTextParams = (json: string): TextParams => JSON.parse(json) as TextParams

export const fromTextColumns = ({ code, params }: TextColumns) => ({
  code: code ?? undefined,
  params: params === null ? undefined : parseTextParams(params),
})
