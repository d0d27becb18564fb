/** One SKU: its codes, the SKUs of other vendors that are the same product, and where to buy it. */
import { useState } from 'preact/hooks'
import type { Alias, SaleUnit, SkuRecord } from '../../../contract/shapes/catalog.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { basket, setBasket, withLine } from '../purchases/basket.ts'
import { unitText } from '../purchases/checkout.ts'
import { money } from '../../lib/text/format.ts'
import { textsOf, texts, words } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import { useResource } from '../../lib/service/resource.ts'
import { navigate, href, query } from '../../lib/router.ts'
import { useNamespaces } from '../../lib/service/queries.ts'
import { BASKET } from '../../locales/basket.ts'
import { BasketBar } from '../purchases/basket-bar.tsx'
import { Button } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/form/field.tsx'
import { Empty, Failure, Loaded } from '../../ui/loaded.tsx'
import { Messages } from '../../ui/messages.tsx'
import { Badge, Money, Timestamp } from '../../ui/value.tsx'
import { Facts, PageHeader, Section } from '../../ui/section.tsx'
import { StockEverywhere } from './stock-everywhere.tsx'
import { SalesByMachine } from './sales-by-machine.tsx'
import { PhaseOut } from './phase-out.tsx'
import { ShelfLife } from './shelf-life.tsx'
import { toast } from '../../ui/toast.tsx'

const SUGGESTIONS = 6
const LOOKUP_MAX = 50

export function Sku({ id }: { readonly id: string }) {
  const location = query('location')
  const sku = useResource(`sku ${id} ${location}`, (signal) =>
    client.getSku({ params: { sku_id: id }, query: location ? { location } : {}, signal }),
  )
  return (
    <>
      <PageHeader
        title={sku.data?.title ?? id}
        back={{ href: '/catalog', text: texts().pages.catalog }}
        lead={<code>{id}</code>}
        actions={
          isMachineSku(id) && may('changePrices') ? (
            <a class="button" href={`/prices?sku=${encodeURIComponent(id)}`}>
              {texts().pages.prices}
            </a>
          ) : undefined
        }
      />
      <Loaded resource={sku} lines={8}>
        {(record) => (
          <div class="two-thirds">
            <div class="stack">
              <Messages messages={record.messages} />
              {may('getProfit') && isMachineSku(id) ? <SalesByMachine skuId={id} /> : null}
              {may('getPlan') ? <StockEverywhere record={record} /> : null}
              <Aliases record={record} put={sku.put} />
            </div>
            <div class="stack side-column">
              <Identity record={record} />
              <PhaseOut record={record} put={sku.put} />
              <ShelfLife record={record} put={sku.put} />
              <Sources record={record} />
            </div>
          </div>
        )}
      </Loaded>
      <BasketBar />
    </>
  )
}

const Identity = ({ record }: { readonly record: SkuRecord }) => {
  const t = texts().sku
  return (
    <Section title={t.identity}>
      <Facts
        items={[
          [t.namespace, record.namespace],
          [t.vendorSku, <code>{record.vendor_sku}</code>],
          (record.barcodes?.length ?? 0) > 0
            ? [t.barcodes, record.barcodes?.map(({ value }) => value).join(', ')]
            : undefined,
        ]}
      />
    </Section>
  )
}

/** Titles of the linked SKUs, to compare them by name; without a response from the supplier their ids are shown. */
function useTitles(ids: readonly string[]): (id: string) => string | undefined {
  const found = useResource(`titles ${ids.join()}`, async (signal) => {
    const shown = ids.slice(0, LOOKUP_MAX)
    // A lookup of machine products needs a machine, and here there is none.
    const [inMachines, atSuppliers] = [shown.filter(isMachineSku), shown.filter((id) => !isMachineSku(id))]
    const [machine, supplier] = await Promise.all([
      Promise.all(inMachines.map((id) => client.getSku({ params: { sku_id: id }, signal }))),
      atSuppliers.length === 0
        ? []
        : client.lookupCatalog({ body: { ids: atSuppliers }, signal }).then(({ products }) => products),
    ])
    return new Map([
      ...machine.map(({ sku_id: id, title }) => [id, title] as const),
      ...supplier.map(({ id, title }) => [id, title] as const),
    ])
  })
  return (id) => found.data?.get(id)
}

const isMachineSku = (id: string): boolean => id.split(':', 1)[0]?.endsWith('-machine') ?? false

function Aliases({ record, put }: { readonly record: SkuRecord; readonly put: (record: SkuRecord) => void }) {
  const t = texts().sku
  const change = useAction(async (alias: string, source: 'manual' | 'rejected') => {
    put(
      await client.confirmAliases({
        params: { sku_id: record.sku_id },
        body: { aliases: [{ sku_id: alias, source }] },
      }),
    )
    toast(source === 'manual' ? words().linked : t.unlinkedToast)
  })
  const aliases = record.aliases ?? []
  const title = useTitles(aliases.map(({ sku_id: alias }) => alias).toSorted())
  return (
    <>
      <Section title={t.aliases} note={t.aliasesNote}>
        {aliases.length === 0 ? <Empty icon="link" title={t.noAliases} /> : null}
        <ul class="rows">
          {aliases.map((alias) => (
            <li key={alias.sku_id}>
              <div>
                <a href={href.sku(alias.sku_id)}>{title(alias.sku_id) ?? <code>{alias.sku_id}</code>}</a>
                <p class="faint">
                  <SourceBadge alias={alias} /> {title(alias.sku_id) ? <code>{alias.sku_id}</code> : null}{' '}
                  {alias.confirmed_at ? (
                    <span class="one-piece">
                      · <Timestamp at={alias.confirmed_at} />
                    </span>
                  ) : null}
                </p>
              </div>
              <span class="row">
                {alias.source === 'suggested' ? (
                  <Button
                    needs="confirmAliases"
                    kind="primary"
                    small
                    disabled={change.busy}
                    onClick={() => void change.run(alias.sku_id, 'manual')}
                  >
                    {t.confirm}
                  </Button>
                ) : null}
                {alias.source === 'barcode' ? null : (
                  <Button
                    needs="confirmAliases"
                    small
                    disabled={change.busy}
                    onClick={() => void change.run(alias.sku_id, 'rejected')}
                  >
                    {alias.source === 'suggested' ? t.reject : words().undo}
                  </Button>
                )}
              </span>
            </li>
          ))}
        </ul>
        {change.error === undefined ? null : <Failure error={change.error} compact />}
      </Section>
      {may('confirmAliases') ? (
        <LinkSearch
          record={record}
          add={(alias) => void change.run(alias, 'manual')}
          busy={change.busy}
          known={new Set(aliases.map(({ sku_id }) => sku_id))}
        />
      ) : null}
    </>
  )
}

const SourceBadge = ({ alias: { source } }: { readonly alias: Alias }) => (
  <Badge tone={source === 'suggested' ? 'warn' : 'ok'}>{texts().sku.sources[source]}</Badge>
)

interface LinkSearchProps {
  readonly record: SkuRecord
  readonly add: (id: string) => void
  readonly busy: boolean
  readonly known: ReadonlySet<string>
}

/** Links a machine product to a supplier product found by search. */
function LinkSearch({ record, add, busy, known }: LinkSearchProps) {
  const t = texts().sku
  const supply = useNamespaces().data?.defaults.supply
  const [text, setText] = useState(record.title ?? '')
  const search = useAction(
    async () =>
      (
        await client.searchCatalog({
          body: {
            query: text,
            filters: supply ? { namespace: supply } : {},
            pagination: { limit: SUGGESTIONS },
          },
        })
      ).products,
  )
  const [answer, setAnswer] = useState<Awaited<ReturnType<typeof search.run>>>()
  const found = answer?.filter(({ id }) => !known.has(id))
  if (!record.namespace.endsWith('-machine')) return null
  return (
    <Section title={t.find} note={t.findNote}>
      <form
        class="row grow"
        onSubmit={(event) => {
          event.preventDefault()
          void search.run().then(setAnswer)
        }}
      >
        <Field label={t.findLabel} hideLabel type="search" value={text} onInput={setText} />
        <Button type="submit" icon="search" busy={search.busy}>
          {words().search}
        </Button>
      </form>
      {search.error === undefined ? null : <Failure error={search.error} compact />}
      {found ? (
        <ul class="rows" aria-live="polite">
          {found.length === 0 ? <li class="faint">{t.nothingFound}</li> : null}
          {found.map(({ id, title, price_range: range }) => (
            <li key={id}>
              <div>
                {title}
                <p class="faint">
                  <span class="mono">{id}</span> · <Money {...range.min} />
                </p>
              </div>
              <Button needs="confirmAliases" small disabled={busy} onClick={() => add(id)}>
                {t.match}
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
    </Section>
  )
}

function Sources({ record }: { readonly record: SkuRecord }) {
  const t = texts().sku
  const sources = record.purchasable_from ?? []
  return (
    <Section title={t.buy} note={t.buyNote}>
      {sources.length === 0 ? <p class="note">{t.noSource}</p> : null}
      {sources.map((source) => (
        <Buy key={source.sku_id} id={source.sku_id} title={source.title} units={source.sale_units} />
      ))}
    </Section>
  )
}

interface BuyProps {
  readonly id: string
  readonly title: string
  readonly units: readonly SaleUnit[]
}

function Buy({ id, title, units }: BuyProps) {
  const t = texts().sku
  const basketTexts = textsOf(BASKET)
  const [unit, setUnit] = useState<string>(units.find((one) => one.unit === 'BX')?.unit ?? 'EA')
  const chosen = units.find((one) => one.unit === unit) ?? units[0]
  const [quantity, setQuantity] = useState(String(Math.max(chosen?.minimum ?? 1, chosen?.increment ?? 1)))
  const valid = /^[1-9]\d{0,5}$/.test(quantity)
  const add = () => {
    const line = { sku: id, title, units, unit: unit as SaleUnit['unit'], quantity: Number(quantity) }
    setBasket(withLine(basket.value, line))
  }
  return (
    <form
      class="stack buy"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault()
        if (!valid) return
        add()
        navigate('/basket')
      }}
    >
      <p>
        <a href={href.sku(id)}>{title}</a>
      </p>
      {may('createCheckout') ? (
        <div class="form-grid">
          <Field
            label={words().quantity}
            type="number"
            min="1"
            inputMode="numeric"
            value={quantity}
            onInput={setQuantity}
          />
          <Select
            label={t.unit}
            value={unit}
            onChange={setUnit}
            options={units.map(
              (one) =>
                [
                  one.unit,
                  `${unitText(one)} · ${one.price_derived ? '≈ ' : ''}${money(one.price.amount, one.price.currency)}`,
                ] as const,
            )}
          />
        </div>
      ) : null}
      <div class="row">
        <Button needs="createCheckout" kind="primary" type="submit" disabled={!valid}>
          {t.start(chosen && valid ? money(chosen.price.amount * Number(quantity), chosen.price.currency) : '')}
        </Button>
        <Button
          needs="createCheckout"
          disabled={!valid}
          aria-label={basketTexts.addOf(title)}
          onClick={() => {
            add()
            toast(basketTexts.added(title))
          }}
        >
          {basketTexts.add}
        </Button>
      </div>
      {may('createCheckout') ? <p class="note">{t.startNote}</p> : null}
    </form>
  )
}
