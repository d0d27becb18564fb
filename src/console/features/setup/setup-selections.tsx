/** Which product is in each selection of machines that do not say it themselves. Nothing counts until somebody saves it. */
import { useState } from 'preact/hooks'
import type { Product } from '../../../contract/shapes/catalog.ts'
import type { SelectionsRequest } from '../../../contract/shapes/connections/selections.ts'
import type { Location } from '../../../contract/shapes/location.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { textsOf, texts, words } from '../../lib/text/i18n.ts'
import { useMachineProducts } from '../machines/machine-products.ts'
import { useConnections, useLocations, useNamespaces, useOverview } from '../../lib/service/queries.ts'
import { useResource } from '../../lib/service/resource.ts'
import { readTypedAmount } from '../../../kernel/typed-amount.ts'
import { byName } from '../../lib/text/natural-order.ts'
import { SETUP } from '../../locales/work/setup.ts'
import '../../styles/operator.css'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Empty, Failure, Loaded } from '../../ui/loaded.tsx'
import { ProductSearch } from './product-search.tsx'
import { PageHeader, Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'
import { Money } from '../../ui/value.tsx'

/** As many as one lookup takes. */
const LOOKED_UP_MAX = 50
const SYNC_TIMEOUT_MS = 180_000
/** Of a new machine fewer days are known: the hint states no number of days. */
const SOLD_DAYS = 30

export function SetupSelections() {
  const t = textsOf(SETUP).selections
  const locations = useLocations()
  const connections = useConnections()
  const namespaces = useNamespaces()
  return (
    <>
      <PageHeader
        title={texts().pages.setupSelections}
        lead={t.lead}
        back={{ href: '/machines', text: texts().pages.machines }}
        actions={<ButtonLink href="/setup/counts">{texts().pages.setupCounts}</ButtonLink>}
      />
      <Loaded resource={connections}>
        {(list) => {
          const own = new Set(
            list
              .filter(({ managed, adapter }) => managed === 'store' && adapter === 'eva-dts')
              .map(({ namespace }) => namespace),
          )
          const suppliers = (namespaces.data?.namespaces ?? [])
            .filter(({ role, status }) => role === 'supply' && status === 'live')
            .map(({ namespace }) => namespace)
          return (
            <Loaded resource={locations}>
              {(all) => {
                const machines = all.filter(({ namespace = '' }) => own.has(namespace))
                return machines.length === 0 ? (
                  <Empty icon="machines" title={t.none}>
                    <p>{t.noneText}</p>
                    <ButtonLink href="/setup/machines">{texts().pages.setupMachines}</ButtonLink>
                  </Empty>
                ) : (
                  <div class="stack">
                    {suppliers.length === 0 ? <p class="note">{t.noSupplier}</p> : null}
                    {machines.map((machine) => (
                      <MachineSelections key={machine.id} machine={machine} suppliers={suppliers} />
                    ))}
                  </div>
                )
              }}
            </Loaded>
          )
        }}
      </Loaded>
    </>
  )
}

interface Row {
  readonly code: string
  readonly price?: { readonly amount: number; readonly currency: string } | undefined
  readonly capacity?: number | undefined
  /** What is there now; absent: nobody said it. */
  readonly title?: string | undefined
  readonly slotId?: string | undefined
  /** A supplier product that may be the same. */
  readonly proposal?: string | undefined
}

type Stated = SelectionsRequest['selections'][number]

/** What was chosen or typed and is not saved. */
interface Change {
  readonly product?: Product | null
  readonly capacity?: string
  readonly price?: string
}

const isUnnamed = (id: string, location: string): boolean => id.includes(`:sel-${location}-`)

const toRows = (products: readonly Product[], location: string): readonly Row[] =>
  products
    .flatMap(({ id, title, variants: [variant] }): readonly Row[] => {
      const { inventory, aliases = [] } = variant ?? {}
      const isNamed = !isUnnamed(id, location)
      return (inventory?.lanes ?? []).map(({ code, price, capacity }) => ({
        code,
        price: price ?? undefined,
        capacity: capacity ?? undefined,
        // A name that the machine's file has is a hint, and no product yet.
        title: isNamed ? title : undefined,
        slotId: inventory?.slot_id,
        proposal: isNamed ? undefined : aliases.find(({ source }) => source === 'suggested')?.sku_id,
      }))
    })
    .toSorted((a, b) => byName(a.code, b.code))

/** Of the product in the machine: unique over all suppliers, and the same for the same product. */
const skuOf = (productId: string): string => {
  const [namespace = '', vendorSku = ''] = productId.split(/:(.*)/s)
  return `${namespace.replace(/-supply$/, '')}-${vendorSku}`
}

interface MachineProps {
  readonly machine: Location
  readonly suppliers: readonly string[]
}

function MachineSelections({ machine: { id, name, namespace = '' }, suppliers }: MachineProps) {
  const t = textsOf(SETUP).selections
  const products = useMachineProducts(id, namespace)
  // Not from the plan: it leaves out slots that nobody has counted yet.
  const history = useResource(`sold ${id}`, (signal) =>
    client.getLocationHistory({ params: { id }, query: { days: SOLD_DAYS }, signal }),
  )
  const sold = new Map((history.data?.slots ?? []).map((slot) => [slot.slot_id, slot.sold]))
  const [changes, setChanges] = useState<ReadonlyMap<string, Change>>(new Map())
  const [added, setAdded] = useState<readonly string[]>([])
  const [code, setCode] = useState('')
  const change = (of: string, more: Change) => setChanges(new Map([...changes, [of, { ...changes.get(of), ...more }]]))
  const clear = ({ code: of, title }: Row) => {
    const { product: _, ...rest } = changes.get(of) ?? {}
    if (title !== undefined) return change(of, { product: null })
    const others = [...changes].filter(([one]) => one !== of)
    setChanges(new Map(Object.keys(rest).length > 0 ? [...others, [of, rest]] : others))
  }
  const loaded = toRows(products.data ?? [], id)
  const rows: readonly Row[] = [
    ...loaded,
    ...added.filter((one) => !loaded.some((row) => row.code === one)).map((one) => ({ code: one })),
  ]
  const proposed = [...new Set(loaded.flatMap(({ proposal }) => proposal ?? []))].slice(0, LOOKED_UP_MAX)
  const proposals = useResource(`proposals ${proposed.join()}`, async (signal) =>
    proposed.length === 0
      ? new Map<string, Product>()
      : new Map((await client.lookupCatalog({ body: { ids: proposed }, signal })).products.map((one) => [one.id, one])),
  )
  const currency = useOverview().data?.spending.currency
  const priceProblem = (text: string | undefined): string | undefined =>
    text === undefined || text === '' || !currency || readTypedAmount(text, currency).ok ? undefined : t.priceWrong
  const capacityProblem = (text: string | undefined): string | undefined =>
    text === undefined || text === '' || /^[1-9]\d{0,3}$/.test(text) ? undefined : t.capacityWrong
  const isWrong = [...changes.values()].some(
    ({ capacity, price }) => capacityProblem(capacity) !== undefined || priceProblem(price) !== undefined,
  )
  const save = useAction(async () => {
    const chosen: Product[] = []
    const selections = [...changes].flatMap(([selection, { product, capacity, price }]): readonly Stated[] => {
      const row = rows.find((one) => one.code === selection)
      const room = capacity === undefined ? {} : { capacity: capacity === '' ? null : Number(capacity) }
      const read = price === undefined || price === '' || !currency ? undefined : readTypedAmount(price, currency)
      const stated = read?.ok ? { price: read.amount } : {}
      if (product === null) return [{ selection, product: null }]
      if (product) {
        chosen.push(product)
        const barcode = product.variants[0]?.barcodes
          ?.map(({ value }) => value)
          .find((value) => /^\d{8,14}$/.test(value))
        const named = { sku: skuOf(product.id), title: product.title.slice(0, 128), ...(barcode && { barcode }) }
        return [{ selection, product: named, ...room, ...stated }]
      }
      // Only the capacity of what is there already.
      const known = products.data?.find(({ variants }) =>
        variants[0]?.inventory?.lanes?.some((lane) => lane.code === selection),
      )
      if (!known || row?.title === undefined) return []
      return [
        { selection, product: { sku: known.id.split(/:(.*)/s)[1] ?? '', title: known.title }, ...room, ...stated },
      ]
    })
    if (selections.length > 0) {
      await client.putSelections({ params: { namespace, id }, body: { selections } })
      await client.syncLocations({ body: {}, timeoutMs: SYNC_TIMEOUT_MS })
    }
    // The person has just said that both are the same.
    for (const product of new Map(chosen.map((one) => [one.id, one])).values())
      await client.confirmAliases({
        params: { sku_id: `${namespace}:${skuOf(product.id)}` },
        body: { aliases: [{ sku_id: product.id, source: 'manual' }] },
      })
    setChanges(new Map())
    setAdded([])
    toast(t.saved(name))
    await Promise.all([products.reload(), history.reload()])
  })
  const open = rows.filter(({ code: one, title }) => title === undefined && !changes.get(one)?.product).length
  return (
    <Section title={name} note={open === 0 ? t.allSaid : t.open(open)}>
      <Loaded resource={products}>
        {() => (
          <form
            class="stack"
            onSubmit={(event) => {
              event.preventDefault()
              if (!isWrong && changes.size > 0) void save.run()
            }}
          >
            {rows.length === 0 ? <p>{t.noSelections}</p> : null}
            {rows.length === 0 ? null : (
              <DataTable
                class="selections"
                rows={rows}
                keyOf={(row) => row.code}
                columns={[
                  { title: t.selection, cell: (row) => <span class="strong">{row.code}</span> },
                  {
                    title: t.hint,
                    cell: (row: Row) => {
                      const units = sold.get(row.slotId ?? '')
                      // Without a price a slot cannot be shown.
                      return !row.price ? (
                        <Field
                          label={t.priceOf(row.code)}
                          hideLabel
                          inputMode="decimal"
                          placeholder={t.price}
                          value={changes.get(row.code)?.price ?? ''}
                          onInput={(price) => change(row.code, { price: price.trim() })}
                          error={priceProblem(changes.get(row.code)?.price)}
                        />
                      ) : (
                        <span class="faint">
                          <Money amount={row.price.amount} currency={row.price.currency} />
                          {units === undefined ? '' : ` · ${t.sold(units)}`}
                        </span>
                      )
                    },
                  },
                  {
                    title: words().product,
                    cell: (row) => (
                      <div class="stack">
                        <ProductSearch
                          label={t.productOf(row.code)}
                          namespaces={suppliers}
                          value={
                            changes.get(row.code)?.product === null
                              ? ''
                              : (changes.get(row.code)?.product?.title ?? row.title ?? '')
                          }
                          onChoose={(product) => change(row.code, { product })}
                          onClear={() => clear(row)}
                        />
                        <Proposal
                          product={changes.get(row.code)?.product ? undefined : proposals.data?.get(row.proposal ?? '')}
                          onAccept={(product) => change(row.code, { product })}
                        />
                      </div>
                    ),
                  },
                  {
                    title: t.capacity,
                    cell: (row) => (
                      <Field
                        label={t.capacityOf(row.code)}
                        hideLabel
                        inputMode="numeric"
                        value={changes.get(row.code)?.capacity ?? row.capacity?.toString() ?? ''}
                        onInput={(capacity) => change(row.code, { capacity: capacity.trim() })}
                        error={capacityProblem(changes.get(row.code)?.capacity)}
                      />
                    ),
                  },
                ]}
              />
            )}
            <div class="row bottom">
              <Field label={t.newSelection} value={code} maxLength={12} onInput={setCode} />
              <Button
                disabled={code.trim() === '' || rows.some((row) => row.code === code.trim())}
                onClick={() => {
                  setAdded([...added, code.trim()])
                  setCode('')
                }}
              >
                {t.addSelection}
              </Button>
            </div>
            <p class="note">{t.note}</p>
            {save.error === undefined ? null : <Failure error={save.error} />}
            <div class="line">
              <Button
                needs="putSelections"
                kind="primary"
                type="submit"
                busy={save.busy}
                disabled={isWrong || changes.size === 0}
                onClick={() => {}}
              >
                {t.save(name)}
              </Button>
            </div>
          </form>
        )}
      </Loaded>
    </Section>
  )
}

interface ProposalProps {
  readonly product: Product | undefined
  readonly onAccept: (product: Product) => void
}

/** What may be the same, until somebody agrees. */
const Proposal = ({ product, onAccept }: ProposalProps) =>
  product ? (
    <div class="line">
      <Button small onClick={() => onAccept(product)}>
        {textsOf(SETUP).selections.proposal(product.title)}
      </Button>
    </div>
  ) : null
