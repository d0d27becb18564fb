/** The first counts of all machines, or of one, in one table: typed downwards or pasted from a spreadsheet. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Location } from '../../../contract/shapes/location.ts'
import { useAction } from '../../lib/service/action.ts'
import { client, VendopsError } from '../../lib/service/api.ts'
import type { CountedSlot } from './counts-file.ts'
import { doubtText, doubtsIn } from '../visits/doubtful-count.ts'
import { textsOf, texts, words } from '../../lib/text/i18n.ts'
import { useMachineProducts } from '../machines/machine-products.ts'
import { useLocations, useNamespaces } from '../../lib/service/queries.ts'
import { query } from '../../lib/router.ts'
import { byName } from '../../lib/text/natural-order.ts'
import { slotPlace } from '../machines/slot-place.ts'
import { pastedCells, readCount } from './typed-counts.ts'
import { SETUP } from '../../locales/work/setup.ts'
import '../../styles/operator.css'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { CountsFile } from './counts-file-form.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Empty, Failure, Loaded } from '../../ui/loaded.tsx'
import { PageHeader, Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'

export function SetupCounts() {
  const t = textsOf(SETUP).counts
  const locations = useLocations()
  const namespaces = useNamespaces()
  const only = query('machine')
  const [slots, setSlots] = useState<ReadonlyMap<string, readonly CountedSlot[]>>(new Map())
  const [filled, setFilled] = useState<ReadonlyMap<string, ReadonlyMap<string, string>>>(new Map())
  /** What an earlier file filled in goes. */
  const fill = (counts: typeof filled) =>
    setFilled(
      new Map(
        [...new Set([...filled.keys(), ...counts.keys()])].map((id) => [
          id,
          new Map([
            ...[...(filled.get(id)?.keys() ?? [])].map((slot) => [slot, ''] as const),
            ...(counts.get(id) ?? []),
          ]),
        ]),
      ),
    )
  return (
    <>
      <PageHeader
        title={texts().pages.setupCounts}
        lead={t.lead}
        back={{ href: '/machines', text: texts().pages.machines }}
      />
      <Loaded resource={locations}>
        {(all) => {
          const machines = only === '' ? all : all.filter(({ id }) => id === only)
          return machines.length === 0 ? (
            <Empty icon="machines" title={texts().machines.none}>
              <ButtonLink href="/setup/machines">{texts().pages.setupMachines}</ButtonLink>
            </Empty>
          ) : (
            <div class="stack first-counts">
              <CountsFile
                machines={
                  machines.every(({ id }) => slots.has(id))
                    ? machines.map(({ id, name }) => ({ id, name, slots: slots.get(id) ?? [] }))
                    : undefined
                }
                namespace={machines[0]?.namespace ?? namespaces.data?.defaults.machine ?? ''}
                onFill={fill}
              />
              {machines.map((machine) => (
                <MachineCounts
                  key={machine.id}
                  machine={machine}
                  filled={filled.get(machine.id)}
                  onSlots={(own) => setSlots((all) => new Map(all).set(machine.id, own))}
                />
              ))}
            </div>
          )
        }}
      </Loaded>
    </>
  )
}

interface Row extends CountedSlot {
  readonly place: string
  readonly stock: number | null
  readonly capacity: number | null
}

/** The next field for a count, also in the table of the next machine. */
function focusNext(from: HTMLElement, step: 1 | -1): void {
  const fields = [...document.querySelectorAll<HTMLInputElement>('.first-counts input.count')]
  fields[fields.indexOf(from as HTMLInputElement) + step]?.focus()
}

interface MachineProps {
  readonly machine: Location
  /** By slot, what a file says. */
  readonly filled: ReadonlyMap<string, string> | undefined
  readonly onSlots: (slots: readonly CountedSlot[]) => void
}

function MachineCounts({ machine: { id, name, namespace }, filled, onSlots }: MachineProps) {
  const t = textsOf(SETUP).counts
  const namespaces = useNamespaces()
  const products = useMachineProducts(id, namespace ?? namespaces.data?.defaults.machine)
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map())
  const [isConfirmed, setConfirmed] = useState(false)
  /** What the service asked about beyond what is seen here. */
  const [asked, setAsked] = useState<readonly string[]>([])
  const table = useRef<HTMLDivElement>(null)
  const rows = (products.data ?? [])
    .flatMap(({ title, variants: [variant] }): readonly Row[] => {
      const slot = variant?.inventory
      if (!slot) return []
      const codes = (slot.lanes ?? []).map(({ code }) => code)
      const place = slot.position || codes.length === 0 ? slotPlace(slot.slot_id, slot) : codes.join(', ')
      const { slot_id: slotId, stock, capacity = null, position } = slot
      // Of several lanes one alone is not the count of the slot.
      const places = [
        place,
        ...(codes.length === 1 ? codes : []),
        ...(position ? [`${position.row}${position.column}`] : []),
      ]
      return [{ slotId, place, places, title, skuId: variant.id, stock, capacity }]
    })
    .toSorted((a, b) => byName(a.place, b.place))
  const stateOf = ({ slotId, capacity }: Row) => readCount(typed.get(slotId), capacity)
  const wrong = rows.filter((row) => stateOf(row).kind === 'wrong')
  const doubtful = rows.filter((row) => stateOf(row).kind === 'doubtful')
  const toSave = rows.flatMap((row) => {
    const state = stateOf(row)
    const isTaken = state.kind === 'count' || (state.kind === 'doubtful' && isConfirmed)
    return isTaken ? [{ slot_id: row.slotId, stock: state.count }] : []
  })
  const set = (values: Iterable<readonly [string, string]>) => {
    setTyped(new Map([...typed, ...values]))
    setConfirmed(false)
    setAsked([])
  }
  useEffect(() => {
    if (products.data !== undefined || products.error !== undefined) onSlots(rows)
  }, [products.data, products.error])
  useEffect(() => {
    if (filled) set(filled)
  }, [filled])
  const fillAll = () =>
    set(rows.flatMap(({ slotId, capacity }) => (capacity === null ? [] : [[slotId, `${capacity}`]])))
  const save = useAction(async () => {
    try {
      const counted = { counted: toSave, ...(isConfirmed && { confirm_count: true as const }) }
      await client.serviceMachine({ params: { id }, body: counted })
    } catch (failure) {
      const doubts = failure instanceof VendopsError ? doubtsIn(failure.messages) : []
      if (doubts.length === 0) throw failure
      return setAsked(doubts.map((doubt) => `${doubt.product}: ${doubtText(doubt)}`))
    }
    const saved = new Set(toSave.map(({ slot_id: slotId }) => slotId))
    setTyped(new Map([...typed].filter(([slotId]) => !saved.has(slotId))))
    setConfirmed(false)
    setAsked([])
    toast(t.saved(saved.size, name))
    await products.reload()
  })
  const never = rows.filter(({ stock }) => stock === null).length
  return (
    <Section
      title={name}
      note={rows.length === 0 ? undefined : never === 0 ? t.allCounted : t.never(never)}
      aside={
        <Button small disabled={!rows.some(({ capacity }) => capacity !== null)} onClick={fillAll}>
          {t.allFull}
        </Button>
      }
    >
      <Loaded resource={products}>
        {() =>
          rows.length === 0 ? (
            <p>
              {t.noSlots} <a href="/setup/selections">{texts().pages.setupSelections}</a>
            </p>
          ) : (
            <form
              class="stack"
              onSubmit={(event) => {
                event.preventDefault()
                if (toSave.length > 0) void save.run()
              }}
            >
              <div ref={table}>
                <DataTable
                  rows={rows}
                  keyOf={({ slotId }) => slotId}
                  columns={[
                    { title: t.slot, cell: ({ place }) => <span class="strong">{place}</span> },
                    { title: words().product, cell: ({ title }) => title },
                    { title: t.holds, isNumber: true, cell: ({ capacity }) => capacity ?? t.unknown },
                    { title: t.now, isNumber: true, cell: ({ stock }) => stock ?? t.neverCounted },
                    {
                      title: t.counted,
                      isNumber: true,
                      cell: (row) => {
                        const { kind } = stateOf(row)
                        const problem =
                          kind === 'wrong' ? t.wrong : kind === 'doubtful' ? t.tooMany(row.capacity ?? 0) : undefined
                        return (
                          <>
                            <span class="input">
                              <input
                                class="count"
                                inputMode="numeric"
                                autocomplete="off"
                                aria-label={t.countOf(row.place, row.title)}
                                aria-invalid={problem === undefined ? undefined : true}
                                aria-describedby={problem === undefined ? undefined : `wrong-${row.slotId}`}
                                value={typed.get(row.slotId) ?? ''}
                                onInput={({ currentTarget: { value } }) => set([[row.slotId, value]])}
                                onKeyDown={(event) => {
                                  const step = { Enter: 1, ArrowDown: 1, ArrowUp: -1 }[event.key]
                                  if (step === undefined) return
                                  event.preventDefault()
                                  focusNext(event.currentTarget, step as 1 | -1)
                                }}
                                onPaste={(event) => {
                                  const cells = pastedCells(event.clipboardData?.getData('text') ?? '')
                                  if (!cells) return
                                  event.preventDefault()
                                  const from = rows.indexOf(row)
                                  set(
                                    cells.flatMap((cell, i) =>
                                      rows[from + i] ? [[rows[from + i]!.slotId, cell]] : [],
                                    ),
                                  )
                                }}
                              />
                            </span>
                            {problem === undefined ? null : (
                              <p class="note field-wrong" id={`wrong-${row.slotId}`}>
                                {problem}
                              </p>
                            )}
                          </>
                        )
                      },
                    },
                  ]}
                />
              </div>
              {asked.map((line) => (
                <p key={line} class="field-wrong">
                  {line}
                </p>
              ))}
              {doubtful.length > 0 || asked.length > 0 ? (
                <label class="line tick">
                  <input
                    type="checkbox"
                    checked={isConfirmed}
                    onChange={({ currentTarget: { checked } }) => setConfirmed(checked)}
                  />
                  <span>{t.right}</span>
                </label>
              ) : null}
              {save.error === undefined ? null : <Failure error={save.error} />}
              <div class="line">
                <Button
                  needs="serviceMachine"
                  kind="primary"
                  type="submit"
                  busy={save.busy}
                  disabled={toSave.length === 0}
                  onClick={() => {}}
                >
                  {t.save(toSave.length)}
                </Button>
                {wrong.length + (isConfirmed ? 0 : doubtful.length) > 0 ? (
                  <span class="note">{t.notSaved(wrong.length + (isConfirmed ? 0 : doubtful.length))}</span>
                ) : null}
              </div>
            </form>
          )
        }
      </Loaded>
    </Section>
  )
}
