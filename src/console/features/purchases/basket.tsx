/** A purchase of several products, before it is created: quantities, address, total and what the rules will say. */
import { useState } from 'preact/hooks'
import type { Checkout, CheckoutCreateRequest } from '../../../contract/shapes/checkout.ts'
import { useWrite } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { type BasketLine, basket, setBasket, stepOf, supplierOf, withQuantity, withUnit } from './basket.ts'
import { type Address, addressLine, filledAddress, generalMessages, messagesAt, unitText } from './checkout.ts'
import { money, totalOf } from '../../lib/text/format.ts'
import { textsOf, texts, words } from '../../lib/text/i18n.ts'
import { type Preview, usePreview } from '../../lib/service/preview.ts'
import { useOverview } from '../../lib/service/queries.ts'
import { href, navigate } from '../../lib/router.ts'
import { approvalReasons, messageLine } from '../../lib/text/service-text.ts'
import { BASKET } from '../../locales/basket.ts'
import '../../styles/operator.css'
import { AddressFields } from './address-fields.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty, Failure, Skeleton } from '../../ui/loaded.tsx'
import { Select } from '../../ui/form/field.tsx'
import { Messages } from '../../ui/messages.tsx'
import { PageHeader, Section } from '../../ui/section.tsx'
import { QuantityInput } from '../../ui/form/quantity-input.tsx'

const DESTINATION = '$.fulfillment.methods[0].destinations[0]'

export function Basket() {
  const t = textsOf(BASKET)
  const overview = useOverview()
  const bySupplier = Map.groupBy(basket.value, ({ sku }) => supplierOf(sku))
  return (
    <>
      <PageHeader title={texts().pages.basket} back={{ href: '/catalog', text: texts().pages.catalog }} lead={t.lead} />
      {bySupplier.size === 0 ? (
        <Empty icon="catalog" title={t.empty}>
          <p>{t.emptyText}</p>
          <a href="/catalog">{texts().pages.catalog}</a>
        </Empty>
      ) : overview.data || overview.error !== undefined ? (
        [...bySupplier].map(([supplier, lines]) => (
          <SupplierPurchase key={supplier} supplier={supplier} lines={lines} remembered={overview.data?.destination} />
        ))
      ) : (
        <Skeleton lines={6} height={56} />
      )}
    </>
  )
}

interface Props {
  readonly supplier: string
  readonly lines: readonly BasketLine[]
  readonly remembered: { readonly source: 'configured' | 'last_purchase'; readonly address: Address } | undefined
}

function SupplierPurchase({ supplier, lines, remembered }: Props) {
  const t = textsOf(BASKET)
  const [changed, setChanged] = useState<Address>()
  const address = changed ?? remembered?.address ?? {}
  const request = requestOf(lines, address)
  const preview = usePreview(JSON.stringify(request), (signal) =>
    client.createCheckout({ body: request, query: { dry_run: 'true' }, signal }),
  )
  const found = preview.data
  const create = useWrite(
    (idempotencyKey) => client.createCheckout({ body: request, idempotencyKey }),
    JSON.stringify(request),
  )
  const createAndOpen = async (opensOrder: boolean) => {
    const created = await create.run()
    if (!created) return
    setBasket(basket.value.filter(({ sku }) => supplierOf(sku) !== supplier))
    navigate(`${href.purchase(created.id)}${opensOrder && created.status === 'ready_for_complete' ? '?order=now' : ''}`)
  }
  const needsApproval = found?.status === 'requires_escalation'
  const errorOf = (path: string) => {
    const [message] = found && changed ? messagesAt(found.messages, path) : []
    return message && messageLine(message)
  }
  return (
    <form
      class="stack basket"
      aria-label={t.from(supplier)}
      onSubmit={(event) => {
        event.preventDefault()
        void createAndOpen(true)
      }}
    >
      <Section title={t.from(supplier)} flush>
        <ul class="count-list">
          {lines.map((line) => (
            <Line key={`${line.sku} ${line.unit}`} line={line} found={found} index={lines.indexOf(line)} />
          ))}
        </ul>
      </Section>
      <Section
        title={words().deliverTo}
        note={changed ? undefined : remembered ? t.remembered[remembered.source] : t.noAddress}
        aside={
          changed === undefined && remembered ? (
            <Button small onClick={() => setChanged(address)}>
              {t.change}
            </Button>
          ) : undefined
        }
      >
        {changed === undefined && remembered ? (
          <p>{addressLine(address)}</p>
        ) : (
          <AddressFields
            address={address}
            onChange={setChanged}
            errorOf={(field) => errorOf(`${DESTINATION}.${field}`)}
          />
        )}
        <p class="note">{t.pickup}</p>
      </Section>
      {found ? <Messages messages={generalMessages(found).filter(({ code }) => code !== 'approval_required')} /> : null}
      {preview.error === undefined ? null : <Failure error={preview.error} compact />}
      {create.error === undefined ? null : <Failure error={create.error} />}
      <div class="row sticky-foot">
        <Verdict preview={preview} products={lines.length} />
        <div class="row">
          <Button needs="createCheckout" disabled={create.busy} onClick={() => void createAndOpen(false)}>
            {t.draft}
          </Button>
          <Button
            needs="createCheckout"
            kind="primary"
            type="submit"
            busy={create.busy}
            disabled={preview.busy || !found || found.status === 'incomplete'}
          >
            {needsApproval ? words().askForApproval : words().orderNow}
          </Button>
        </div>
      </div>
    </form>
  )
}

const requestOf = (lines: readonly BasketLine[], address: Address): CheckoutCreateRequest => {
  const filled = filledAddress(address)
  return {
    line_items: lines.map(({ sku, unit, quantity }) => ({ item: { id: sku }, quantity, quantity_unit: { unit } })),
    ...(Object.keys(filled).length === 0
      ? {}
      : { fulfillment: { methods: [{ type: 'shipping', destinations: [filled] }] } }),
  }
}

/** The total, and what would happen with this purchase now. */
function Verdict({ preview, products }: { readonly preview: Preview<Checkout>; readonly products: number }) {
  const t = textsOf(BASKET)
  const { data: found, busy } = preview
  return (
    <div class="run-total" role="status">
      <strong>
        {t.total(products)}
        {found ? ` · ${money(totalOf(found.totals), found.currency)}` : ''}
      </strong>{' '}
      {busy ? (
        <span class="faint">{t.calculating}</span>
      ) : found?.status === 'ready_for_complete' ? (
        <span class="toned ok">{t.allowed}</span>
      ) : found?.status === 'requires_escalation' ? (
        <span class="toned warn">
          {t.needsApproval} {approvalReasons(found.evidence ?? []).join(' ')}
        </span>
      ) : found ? (
        <span class="toned warn">{t.incomplete}</span>
      ) : null}
    </div>
  )
}

interface LineProps {
  readonly line: BasketLine
  readonly index: number
  readonly found: Checkout | undefined
}

function Line({ line, index, found }: LineProps) {
  const t = textsOf(BASKET)
  const { sku, title, unit, quantity, units } = line
  const priced = found?.line_items.find(({ item, quantity_unit: sold }) => item.id === sku && sold.unit === unit)
  const contains = units.find((one) => one.unit === unit)?.contains
  const step = stepOf(line)
  const set = (next: number) => setBasket(withQuantity(basket.value, line, next))
  return (
    <li class="line">
      <span class="basket-item">
        <a class="underlined" href={href.sku(sku)}>
          {title}
        </a>
        <span class="faint">
          {contains === undefined || unit !== 'BX' ? '' : ` · ${t.items(quantity * contains)}`}
          {priced && found ? ` · ${money(totalOf(priced.totals), found.currency)}` : ''}
        </span>
        {messagesAt(found?.messages, `$.line_items[${index}]`).map((message) => (
          <p key={message.content} class={`note at-field ${message.type}`}>
            {messageLine(message)}
          </p>
        ))}
      </span>
      <span class="row run-line-quantity">
        <Select
          label={t.unit(title)}
          hideLabel
          value={unit}
          onChange={(value) => setBasket(withUnit(basket.value, line, value as BasketLine['unit']))}
          options={units.map((one) => [one.unit, unitText(one)] as const)}
        />
        <span class="stepper">
          <button type="button" aria-label={t.less(title)} onClick={() => set(quantity - step)}>
            −
          </button>
          <QuantityInput
            label={words().quantityOf(title)}
            value={quantity}
            onSet={(typed) => {
              if (Number.isFinite(typed)) set(typed)
            }}
          />
          <button type="button" aria-label={t.more(title)} onClick={() => set(quantity + step)}>
            +
          </button>
        </span>
      </span>
    </li>
  )
}
