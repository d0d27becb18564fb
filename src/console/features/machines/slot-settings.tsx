/** Capacity, par level and position of the slots of a machine: a drawing, a table to edit, and a table to paste. */
import { useState } from 'preact/hooks'
import type { Variant } from '../../../contract/shapes/catalog.ts'
import { type SlotSettingsRow, type StatedSettings, parseSlotSettings } from '../../../kernel/slot-settings.ts'
import { readDelimited } from '../../../lib/delimited-rows.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { byName } from '../../lib/text/natural-order.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import { ActionDialog } from '../../ui/form/action-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { FileButton } from '../../ui/form/file-button.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'

interface Props {
  readonly location: string
  readonly variants: readonly Variant[]
  readonly onSaved: () => void
}

type Cells = Readonly<Record<'capacity' | 'par' | 'row' | 'column', string>>
const MEMBERS = ['capacity', 'par', 'row', 'column'] as const

const cellsOf = ({ inventory }: Variant): Cells => ({
  // Only what an operator stated: what the platform says is shown beside it.
  capacity: inventory?.capacity_source === 'counted' ? `${inventory.capacity ?? ''}` : '',
  par: `${inventory?.par ?? ''}`,
  row: inventory?.position?.row ?? '',
  column: `${inventory?.position?.column ?? ''}`,
})

/** A cell that was emptied removes what was stated. */
const toRow = (slotId: string, before: Cells, after: Cells, line: number) => ({
  line,
  cells: {
    slot: slotId,
    ...Object.fromEntries(
      MEMBERS.map((member) => {
        const text = after[member].trim()
        if (member === 'row' || member === 'column') return [member, positionCell(before, after, member)]
        return [member, text === before[member] ? '' : text === '' ? '-' : text]
      }),
    ),
  },
})

function positionCell(before: Cells, after: Cells, member: 'row' | 'column'): string {
  if (after.row === before.row && after.column === before.column) return ''
  if (after.row.trim() === '' && after.column.trim() === '') return '-'
  return after[member].trim()
}

async function saveRows(location: string, rows: readonly SlotSettingsRow[]): Promise<void> {
  for (const { slotId, settings } of rows)
    await client.updateSlot({ params: { id: location, slot_id: slotId }, body: bodyOf(settings) })
}

const bodyOf = ({ capacity, par, position }: StatedSettings) => ({
  ...(capacity === undefined ? {} : { capacity }),
  ...(par === undefined ? {} : { par }),
  ...(position === undefined ? {} : { position }),
})

export function SlotSettings({ location, variants, onSaved }: Props) {
  const t = texts().operator.slots
  const [edits, setEdits] = useState<ReadonlyMap<string, Cells>>(new Map())
  const [isPasting, setPasting] = useState(false)
  const slots = variants.flatMap((variant) =>
    variant.inventory ? [{ variant, slotId: variant.inventory.slot_id }] : [],
  )
  const ids = new Set(slots.map(({ slotId }) => slotId))
  const changed = slots.flatMap(({ variant, slotId }, i) => {
    const edit = edits.get(slotId)
    return edit ? [toRow(slotId, cellsOf(variant), edit, i + 1)] : []
  })
  const { settings, problems } = parseSlotSettings(changed, (slotId) => ids.has(slotId))
  const wrong = new Set(problems.filter(({ problem }) => problem !== 'nothing').map(({ line }) => line))
  const save = useAction(async () => {
    await saveRows(location, settings)
    setEdits(new Map())
    toast(t.saved(settings.length))
    onSaved()
  })
  const isReadOnly = !may('putLocation')
  return (
    <Section
      title={t.title}
      note={t.note}
      aside={
        <Button needs="putLocation" small onClick={() => setPasting(true)}>
          {t.paste}
        </Button>
      }
    >
      <Drawing variants={variants} />
      {isReadOnly ? null : (
        <details class="slot-settings">
          <summary>{t.edit}</summary>
          <table>
            <thead>
              <tr>
                <th>{words().product}</th>
                {MEMBERS.map((member) => (
                  <th key={member}>{t.members[member]}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {slots.map(({ variant, slotId }, i) => {
                const cells = edits.get(slotId) ?? cellsOf(variant)
                return (
                  <tr key={slotId} class={wrong.has(i + 1) ? 'wrong' : ''}>
                    <td>{variant.title}</td>
                    {MEMBERS.map((member) => (
                      <td key={member} data-label={t.members[member]}>
                        <input
                          aria-label={`${t.members[member]}: ${variant.title}`}
                          value={cells[member]}
                          inputMode={member === 'row' ? 'text' : 'numeric'}
                          placeholder={member === 'capacity' ? `${variant.inventory?.capacity ?? ''}` : ''}
                          onInput={(event) =>
                            setEdits(
                              new Map(edits).set(slotId, {
                                ...cells,
                                [member]: (event.target as HTMLInputElement).value,
                              }),
                            )
                          }
                        />
                      </td>
                    ))}
                  </tr>
                )
              })}
            </tbody>
          </table>
          {wrong.size > 0 ? <p class="toned bad">{t.wrong}</p> : null}
          {save.error === undefined ? null : <Failure error={save.error} compact />}
          <Button needs="putLocation" kind="primary" action={save} disabled={settings.length === 0 || wrong.size > 0}>
            {words().save}
          </Button>
        </details>
      )}
      {isPasting ? (
        <PasteDialog location={location} ids={ids} onSaved={onSaved} onClose={() => setPasting(false)} />
      ) : null}
    </Section>
  )
}

/** The machine by row and column, of the slots whose position is known. */
function Drawing({ variants }: Pick<Props, 'variants'>) {
  const placed = variants.flatMap((variant) => {
    const { position } = variant.inventory ?? {}
    return position ? [{ ...position, variant }] : []
  })
  if (placed.length === 0) return <p class="note">{texts().operator.slots.noPositions}</p>
  const rows = [...Map.groupBy(placed, ({ row }) => row)].toSorted(([a], [b]) => byName(a, b))
  return (
    // It scrolls sideways, so the keyboard must reach it.
    <div class="machine-drawing" role="list" tabIndex={0}>
      {rows.map(([row, slots]) => (
        <div class="machine-row" key={row} role="listitem">
          <b>{row}</b>
          {slots
            .toSorted((a, b) => a.column - b.column)
            .map(({ column, variant }) => (
              <span
                key={variant.id}
                class={variant.inventory?.stock === 0 ? 'lane is-empty' : 'lane'}
                title={variant.title}
              >
                <i>{column}</i> {variant.title}{' '}
                <span class="faint">
                  {variant.inventory?.stock ?? '?'}
                  {typeof variant.inventory?.capacity === 'number' ? `/${variant.inventory.capacity}` : ''}
                </span>
              </span>
            ))}
        </div>
      ))}
    </div>
  )
}

interface PasteProps {
  readonly location: string
  readonly ids: ReadonlySet<string>
  readonly onSaved: () => void
  readonly onClose: () => void
}

function PasteDialog({ location, ids, onSaved, onClose }: PasteProps) {
  const t = texts().operator.slots
  const [text, setText] = useState('')
  const { settings, problems } = parseSlotSettings(readDelimited(text).rows, (slotId) => ids.has(slotId))
  const save = useAction(async () => {
    await saveRows(location, settings)
    toast(t.saved(settings.length))
    onSaved()
    onClose()
  })
  return (
    <ActionDialog
      title={t.paste}
      action={save}
      submit={t.saveMany(settings.length)}
      ready={settings.length > 0 && problems.length === 0}
      onClose={onClose}
    >
      <p class="note">{t.pasteHint}</p>
      <FileButton text={t.file} accept=".csv,text/csv,text/plain" onChoose={(file) => void file.text().then(setText)} />
      <textarea
        rows={8}
        aria-label={t.paste}
        spellcheck={false}
        placeholder={'slot,capacity,par,row,column'}
        value={text}
        onInput={(event) => setText((event.target as HTMLTextAreaElement).value)}
      />
      {text === '' ? null : (
        <ul class="plain-list" aria-live="polite">
          {problems.slice(0, 10).map(({ line, problem, value }) => (
            <li key={`${line} ${problem}`} class="toned bad">
              {t.line(line, t.problems[problem], value)}
            </li>
          ))}
        </ul>
      )}
    </ActionDialog>
  )
}
