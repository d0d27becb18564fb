/** Counts from a file or from pasted cells: they fill the tables of the page, where a person checks and saves them. */
import { useState } from 'preact/hooks'
import { useAction } from '../../lib/service/action.ts'
import { type CountedMachine, readCountsFile } from './counts-file.ts'
import { textsOf } from '../../lib/text/i18n.ts'
import { SETUP } from '../../locales/work/setup.ts'
import { bringFile } from '../connections/upload.ts'
import { Button } from '../../ui/button.tsx'
import { FileButton } from '../../ui/form/file-button.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'

type Counts = ReturnType<typeof readCountsFile>['counts']

interface Props {
  /** Undefined while the slots of some are not known yet. */
  readonly machines: readonly CountedMachine[] | undefined
  /** Of the machines. */
  readonly namespace: string
  readonly onFill: (counts: Counts) => void
}

const BYTES_MAX = 2_000_000
const LINES_SHOWN = 200

const isWorkbook = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0x50 && bytes[1] === 0x4b) || (bytes[0] === 0xd0 && bytes[1] === 0xcf)

const hasUtf16Mark = (bytes: Uint8Array): boolean => bytes[0] === 0xff && bytes[1] === 0xfe

/** Pictures and programs have bytes of 0, texts have none. */
const isText = (bytes: Uint8Array): boolean => hasUtf16Mark(bytes) || !bytes.subarray(0, 4096).includes(0)

/** Spreadsheets write UTF-8, UTF-16 with a mark, or on Chinese computers GB18030. */
function decode(bytes: Uint8Array): string {
  if (hasUtf16Mark(bytes)) return new TextDecoder('utf-16le').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('gb18030').decode(bytes)
  }
}

/** As a text of the same rows: line 3 is row 3. */
const toText = (rows: readonly (readonly string[])[]): string =>
  rows
    .map((cells) => cells.map((cell) => `"${cell.replaceAll(/[\r\n]+/g, ' ').replaceAll('"', '""')}"`).join(','))
    .join('\n')

interface InputProps {
  /** False while it is not known yet what can be counted. */
  readonly isReady: boolean
  /** A connection, for files that the service reads. */
  readonly namespace: string
  readonly example: string
  readonly fill: string
  /** Undefined: what was read before no longer stands there. */
  readonly onText: (text: string | undefined) => void
}

/** A file or pasted cells, as a text of rows. What is no table is refused. */
export function CountsInput({ isReady, namespace, example, fill, onText }: InputProps) {
  const t = textsOf(SETUP).counts.file
  const [text, setText] = useState('')
  const [refused, setRefused] = useState<string>()
  const take = (content: string) => {
    setText(content)
    onText(content)
  }
  const choose = useAction(async (file: File) => {
    setText('')
    onText(undefined)
    setRefused(undefined)
    if (file.size > BYTES_MAX) return setRefused(t.large)
    if (file.size === 0) return setRefused(t.empty)
    const bytes = new Uint8Array(await file.arrayBuffer())
    if (isWorkbook(bytes)) {
      const { preview } = await bringFile({ namespace, kind: 'counts', file, isDryRun: true, onProgress: () => {} })
      const [table] = preview?.tables ?? []
      return preview?.usable && table ? take(toText(table.rows)) : setRefused(t.notRead(preview?.summary ?? ''))
    }
    return isText(bytes) ? take(decode(bytes)) : setRefused(t.noTable)
  })
  return (
    <>
      <div class="line">
        {isReady && !choose.busy ? (
          <FileButton
            text={t.choose}
            icon="plus"
            accept=".csv,.txt,.xlsx,.ods,text/csv,text/plain"
            onChoose={choose.run}
          />
        ) : (
          <Button icon="plus" disabled>
            {choose.busy ? t.reading : t.choose}
          </Button>
        )}
      </div>
      <details>
        <summary>{t.paste}</summary>
        <div class="stack">
          <textarea
            rows={6}
            aria-label={t.paste}
            spellcheck={false}
            placeholder={example}
            value={text}
            onInput={({ currentTarget: { value } }) => {
              setText(value)
              onText(undefined)
              setRefused(undefined)
            }}
          />
          <div class="line">
            <Button disabled={!isReady || text.trim() === ''} onClick={() => onText(text)}>
              {fill}
            </Button>
          </div>
        </div>
      </details>
      {refused ? (
        <p class="field-wrong" role="alert">
          {refused}
        </p>
      ) : null}
      {choose.error === undefined ? null : <Failure error={choose.error} />}
    </>
  )
}

interface RowsProps {
  readonly problems: readonly { readonly line: number; readonly text: string; readonly value: string }[]
}

export function NotUnderstood({ problems }: RowsProps) {
  const t = textsOf(SETUP).counts.file
  if (problems.length === 0) return null
  return (
    <>
      <p class="field-wrong">{t.notUnderstood(problems.length)}</p>
      <ul class="plain-list">
        {problems.slice(0, LINES_SHOWN).map(({ line, text, value }) => (
          <li key={line}>{t.line(line, text, value)}</li>
        ))}
      </ul>
      {problems.length > LINES_SHOWN ? <p>{t.more(problems.length - LINES_SHOWN)}</p> : null}
    </>
  )
}

export function CountsFile({ machines, namespace, onFill }: Props) {
  const t = textsOf(SETUP).counts.file
  const [read, setRead] = useState<ReturnType<typeof readCountsFile>>()
  const take = (text: string | undefined) => {
    const found = text === undefined ? undefined : readCountsFile(text, machines ?? [])
    setRead(found)
    // A file that says nothing takes nothing away that another one or a person filled in.
    if (found && found.counts.size > 0) onFill(found.counts)
  }
  const filled = [...(read?.counts.values() ?? [])].reduce((sum, own) => sum + own.size, 0)
  return (
    <Section title={t.title} note={t.hint}>
      <div class="stack">
        <CountsInput
          isReady={machines !== undefined}
          namespace={namespace}
          example={t.example}
          fill={t.fill}
          onText={take}
        />
        <div role="status" class="stack">
          {read?.missing.map((column) => (
            <p key={column} class="field-wrong">
              {t.missing[column]}
            </p>
          ))}
          {read && read.missing.length === 0 ? <p>{t.filled(filled)}</p> : null}
          <NotUnderstood problems={(read?.problems ?? []).map((row) => ({ ...row, text: t.problems[row.problem] }))} />
        </div>
      </div>
    </Section>
  )
}
