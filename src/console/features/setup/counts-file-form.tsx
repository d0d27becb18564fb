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

/** Spreadsheets write UTF-8, UTF-16 with a mark, or on Chinese computers GB18030. */
function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
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

export function CountsFile({ machines, namespace, onFill }: Props) {
  const t = textsOf(SETUP).counts.file
  const [text, setText] = useState('')
  const [refused, setRefused] = useState<string>()
  const [read, setRead] = useState<ReturnType<typeof readCountsFile>>()
  const fill = (from: string) => {
    const found = readCountsFile(from, machines ?? [])
    setRead(found)
    onFill(found.counts)
  }
  const take = (content: string) => {
    setText(content)
    fill(content)
  }
  const choose = useAction(async (file: File) => {
    setText('')
    setRead(undefined)
    setRefused(undefined)
    if (file.size > BYTES_MAX) return setRefused(t.large)
    const bytes = new Uint8Array(await file.arrayBuffer())
    if (!isWorkbook(bytes)) return take(decode(bytes))
    const { preview } = await bringFile({ namespace, kind: 'counts', file, isDryRun: true, onProgress: () => {} })
    const [table] = preview?.tables ?? []
    return preview?.usable && table ? take(toText(table.rows)) : setRefused(t.notRead(preview?.summary ?? ''))
  })
  const problems = read?.problems ?? []
  const filled = [...(read?.counts.values() ?? [])].reduce((sum, own) => sum + own.size, 0)
  return (
    <Section title={t.title} note={t.hint}>
      <div class="stack">
        <div class="line">
          {machines ? (
            <FileButton
              text={t.choose}
              icon="plus"
              accept=".csv,.txt,.xlsx,.ods,text/csv,text/plain"
              onChoose={choose.run}
            />
          ) : (
            <Button icon="plus" disabled>
              {t.choose}
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
              placeholder={t.example}
              value={text}
              onInput={({ currentTarget: { value } }) => {
                setText(value)
                setRead(undefined)
                setRefused(undefined)
              }}
            />
            <div class="line">
              <Button disabled={!machines || text.trim() === ''} onClick={() => fill(text)}>
                {t.fill}
              </Button>
            </div>
          </div>
        </details>
        <div role="status" class="stack">
          {refused ? <p class="field-wrong">{refused}</p> : null}
          {choose.error === undefined ? null : <Failure error={choose.error} />}
          {read?.missing.map((column) => (
            <p key={column} class="field-wrong">
              {t.missing[column]}
            </p>
          ))}
          {read && read.missing.length === 0 ? <p>{t.filled(filled)}</p> : null}
          {problems.length > 0 ? (
            <>
              <p class="field-wrong">{t.notUnderstood(problems.length)}</p>
              <ul class="plain-list">
                {problems.slice(0, LINES_SHOWN).map(({ line, problem, value }) => (
                  <li key={line}>{t.line(line, t.problems[problem], value)}</li>
                ))}
              </ul>
              {problems.length > LINES_SHOWN ? <p>{t.more(problems.length - LINES_SHOWN)}</p> : null}
            </>
          ) : null}
        </div>
      </div>
    </Section>
  )
}
