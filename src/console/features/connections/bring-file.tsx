/** A file is chosen or dropped, looked at with examples and questions, and then used. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ConnectionFile, FilePreview } from '../../../contract/shapes/connections/files.ts'
import { useAction } from '../../lib/service/action.ts'
import { texts } from '../../lib/text/i18n.ts'
import { type Answers, bringFile, mergeAnswers } from './upload.ts'
import { AnswerReply, replyQuestion } from './answer-reply.tsx'
import { UploadMany } from './bring-files.tsx'
import { CURRENCY_QUESTION, ChooseCurrency } from './choose-currency.tsx'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Select } from '../../ui/form/field.tsx'
import { FileButton } from '../../ui/form/file-button.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { serviceReason } from '../../ui/service-detail.tsx'

export interface Looked {
  readonly file: File
  readonly preview: FilePreview
  readonly answers: Answers
}

interface ChooseProps {
  readonly namespace: string
  readonly kind: ConnectionFile['kind']
  readonly looked: Looked | undefined
  readonly onLooked: (looked: Looked | undefined) => void
}

interface PreviewRow {
  readonly id: string
  readonly cells: readonly string[]
}

const asksCurrency = ({ questions }: FilePreview): boolean => questions.some(({ code }) => code === CURRENCY_QUESTION)

const percent = (share: number) => `${Math.round(share * 100)} %`

/** Until it is used, the service keeps nothing of it. */
export function ChooseFile({ namespace, kind, looked, onLooked }: ChooseProps) {
  const t = texts().connections.files
  const [share, setShare] = useState(0)
  const [name, setName] = useState<string>()
  const look = useAction(async (file: File, answers: Answers) => {
    setShare(0)
    setName(file.name)
    // What was found in another file says nothing about this one.
    if (file !== looked?.file) onLooked(undefined)
    const { preview } = await bringFile({ namespace, kind, file, answers, isDryRun: true, onProgress: setShare })
    if (preview) onLooked({ file, preview, answers })
  })
  const question = looked && replyQuestion(looked.preview)
  return (
    <div
      class="stack drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        const file = event.dataTransfer?.files[0]
        if (file) void look.run(file, {})
      }}
    >
      <FileButton text={t.choose[kind]} icon="plus" accept="*/*" onChoose={(file) => look.run(file, {})} />
      <p class="note">{looked?.file.name ?? name ?? t.drop}</p>
      {look.busy ? (
        <p role="status">
          {t.reading} <progress max={1} value={share} /> {percent(share)}
        </p>
      ) : null}
      {look.error ? <Failure error={look.error} /> : null}
      {looked && !look.busy && asksCurrency(looked.preview) ? (
        <ChooseCurrency onChosen={() => void look.run(looked.file, looked.answers)} />
      ) : looked && !look.busy && question ? (
        <AnswerReply
          key={question.text}
          namespace={namespace}
          question={question}
          onSaved={() => void look.run(looked.file, looked.answers)}
        />
      ) : looked && !asksCurrency(looked.preview) && !question ? (
        // It stays while an answer is applied, so that what was opened stays open.
        <Preview
          preview={looked.preview}
          onAnswer={(more) => void look.run(looked.file, mergeAnswers(looked.answers, more))}
        />
      ) : null}
    </div>
  )
}

function Preview({ preview, onAnswer }: { readonly preview: FilePreview; readonly onAnswer: (more: Answers) => void }) {
  const t = texts().connections.files
  const { summary, usable, examples, questions, tables, left_out: leftOut, notes, settings, header } = preview
  const all = preview.left_out_count
  return (
    <div class="stack">
      <p>
        <strong>{usable ? t.understood(summary) : t.notUsable(summary)}</strong>
      </p>
      {examples.length > 0 ? (
        <>
          <p class="note">{t.check}</p>
          <ul class="examples">
            {examples.map((example) => (
              <li key={example}>{example}</li>
            ))}
          </ul>
        </>
      ) : null}
      {questions.map(({ code, text, choices }) => (
        <Select
          key={code}
          label={t.questions[code] ?? text}
          value="0"
          options={choices.map(({ label: said }, i) => {
            const label = t.choices[code]?.[i] ?? said
            return [String(i), i === 0 ? t.proposed(label) : label]
          })}
          onChange={(place) => onAnswer(choices[Number(place)]?.answers ?? {})}
        />
      ))}
      {settings && header.length > 0 ? <Columns settings={settings} header={header} onAnswer={onAnswer} /> : null}
      {tables.map(({ title, columns, rows, more }) => (
        <details key={title} open={rows.length <= 20}>
          <summary>{t.rows(rows.length + more)}</summary>
          <DataTable
            rows={rows.map((cells, i): PreviewRow => ({ id: String(i), cells }))}
            keyOf={({ id }) => id}
            columns={columns.map((column, i) => ({ title: column, cell: ({ cells }: PreviewRow) => cells[i] ?? '' }))}
          />
        </details>
      ))}
      {leftOut.length > 0 ? (
        <details>
          <summary>{t.leftOut(all)}</summary>
          <ul>
            {leftOut.map(({ where, reason }) => (
              <li key={`${where} ${reason}`}>
                {where}: {serviceReason(reason)}
              </li>
            ))}
          </ul>
          {all > leftOut.length ? <p class="note">{t.firstOf(leftOut.length, all)}</p> : null}
        </details>
      ) : null}
      {notes.map((note) => (
        <p class="note" key={note}>
          {note}
        </p>
      ))}
      {preview.waits_for_owner ? <p class="note">{t.waitsForOwner}</p> : null}
    </div>
  )
}

const SHOWN_COLUMNS = ['title', 'sku', 'pack', 'pack_size', 'pack_price', 'each_price', 'barcode', 'on_shelf'] as const

/** One column can be changed without losing the others. */
function Columns({
  settings,
  header,
  onAnswer,
}: {
  readonly settings: Answers
  readonly header: readonly string[]
  readonly onAnswer: (more: Answers) => void
}) {
  const t = texts().connections.files
  const columns = (settings['columns'] ?? {}) as Readonly<Record<string, string>>
  const named = header.filter((name) => name !== '')
  return (
    <details>
      <summary>{t.columns}</summary>
      <div class="fields">
        {SHOWN_COLUMNS.map((column) => (
          <Select
            key={column}
            label={t.columnNames[column]}
            value={columns[column] ?? ''}
            options={[['', t.noColumn], ...named.map((name) => [name, name] as const)]}
            onChange={(name) => onAnswer({ columns: { [column]: name === '' ? null : name } })}
          />
        ))}
      </div>
    </details>
  )
}

interface UploadProps {
  readonly namespace: string
  readonly kinds: readonly ConnectionFile['kind'][]
  /** It is open, for this kind. */
  readonly wanted?: ConnectionFile['kind'] | undefined
  readonly onUsed: (state: string) => void
}

/** For a connection that is there. */
export function Upload({ namespace, kinds, wanted, onUsed }: UploadProps) {
  const t = texts().connections.files
  const [kind, setKind] = useState<ConnectionFile['kind']>(wanted ?? kinds[0] ?? 'price_list')
  const place = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    if (wanted) place.current?.scrollIntoView()
  }, [wanted])
  const [looked, setLooked] = useState<Looked>()
  const [share, setShare] = useState(0)
  const use = useAction(async () => {
    if (!looked) return
    const { file, answers } = looked
    const brought = await bringFile({ namespace, kind, file, answers, isDryRun: false, onProgress: setShare })
    setLooked(undefined)
    onUsed(brought.file?.state ?? 'used')
  })
  return (
    <details ref={place} open={wanted !== undefined}>
      <summary>{t.upload}</summary>
      <div class="stack">
        {kinds.length > 1 ? (
          <Select
            label={t.kind}
            value={kind}
            options={kinds.map((name) => [name, t.kinds[name]] as const)}
            onChange={(name) => {
              setKind(name as ConnectionFile['kind'])
              setLooked(undefined)
            }}
          />
        ) : null}
        {kind === 'dex' ? (
          <UploadMany namespace={namespace} kind={kind} onUsed={() => onUsed('used')} />
        ) : (
          <ChooseFile key={kind} namespace={namespace} kind={kind} looked={looked} onLooked={setLooked} />
        )}
        {use.busy ? <progress max={1} value={share} aria-label={t.reading} /> : null}
        {use.error ? <Failure error={use.error} /> : null}
        {looked ? (
          <Button kind="primary" action={use} disabled={!looked.preview.usable}>
            {t.use}
          </Button>
        ) : null}
      </div>
    </details>
  )
}
