/** The lines of a checkout session with their messages; quantities can be changed while the session is editable. */
import { useState } from 'preact/hooks'
import type { Checkout, LineItem } from '../../contract/checkout.ts'
import { useAction } from '../lib/action.ts'
import { client } from '../lib/api.ts'
import { hasLeftOut, isEditable, messagesAt } from '../lib/checkout.ts'
import { amountText, totalOf } from '../lib/format.ts'
import { texts, words } from '../lib/i18n.ts'
import { may } from '../lib/me.ts'
import { href } from '../lib/router.ts'
import { messageLine } from '../lib/service-text.ts'
import { Button } from './button.tsx'
import { ExportButton } from './export-button.tsx'
import { Failure } from './failure.tsx'
import { Money } from './money.tsx'
import { Section } from './section.tsx'
import { toast } from './toast.tsx'

export function CheckoutLines({
  checkout,
  put,
}: {
  readonly checkout: Checkout
  readonly put: (checkout: Checkout) => void
}) {
  const t = texts().purchase
  const [changed, setChanged] = useState<Readonly<Record<string, string>>>({})
  const editable = isEditable(checkout.status) && may('updateCheckout')
  const quantityOf = (line: LineItem) => changed[line.id] ?? String(line.quantity)
  const dirty = checkout.line_items.some((line) => quantityOf(line) !== String(line.quantity))
  const valid = checkout.line_items.every((line) => /^\d{1,6}$/.test(quantityOf(line)))
  const left = checkout.line_items.filter((line) => Number(quantityOf(line)) > 0)
  const save = useAction(async () => {
    const line_items = left.map((line) => ({
      id: line.id,
      item: { id: line.item.id },
      quantity: Number(quantityOf(line)),
      quantity_unit: { unit: line.quantity_unit.unit },
    }))
    put(await client.updateCheckout({ params: { id: checkout.id }, body: { line_items } }))
    setChanged({})
    toast(t.saved)
  })
  return (
    <Section title={words().lines} flush>
      <div class="table-box">
        <table class="data lines">
          <thead>
            <tr>
              <th scope="col">{words().item}</th>
              <th scope="col" class="number">
                {words().quantity}
              </th>
              <th scope="col" class="number">
                {words().price}
              </th>
              <th scope="col" class="number">
                {t.lineTotal}
              </th>
            </tr>
          </thead>
          <tbody>
            {checkout.line_items.map((line, index) => {
              const { unit, contains } = line.quantity_unit
              return (
                <tr key={line.id}>
                  <td data-label={words().item}>
                    <a href={href.sku(line.item.id)}>{line.item.title}</a>
                    {messagesAt(checkout.messages, `$.line_items[${index}]`).map((message) => (
                      <p key={message.content} class={`note at-field ${message.type}`}>
                        {messageLine(message)}
                      </p>
                    ))}
                  </td>
                  <td class="number" data-label={words().quantity}>
                    <span class="quantity">
                      {editable ? (
                        <input
                          class="small-input"
                          type="number"
                          min="0"
                          inputMode="numeric"
                          aria-label={words().quantityOf(line.item.title)}
                          value={quantityOf(line)}
                          onInput={(event) => setChanged({ ...changed, [line.id]: event.currentTarget.value })}
                        />
                      ) : (
                        line.quantity
                      )}
                      <span class="unit">{unit === 'BX' ? t.boxOf(contains ?? 1) : t.each}</span>
                    </span>
                  </td>
                  <td class="number" data-label={words().price}>
                    <Money amount={line.item.price} currency={checkout.currency} />
                  </td>
                  <td class="number" data-label={t.lineTotal}>
                    <Money amount={totalOf(line.totals)} currency={checkout.currency} />
                  </td>
                </tr>
              )
            })}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row" colSpan={3}>
                {words().total}
              </th>
              <td class="number">
                <strong>
                  <Money amount={totalOf(checkout.totals)} currency={checkout.currency} />
                </strong>
              </td>
            </tr>
          </tfoot>
        </table>
        <p class="table-foot">
          <ExportButton
            name={checkout.id}
            columns={[
              { title: texts().pages.sku, value: ({ item }) => item.id },
              { title: words().item, value: ({ item }) => item.title },
              { title: words().quantity, value: ({ quantity }) => quantity },
              {
                title: texts().sku.unit,
                value: ({ quantity_unit: { unit, contains } }) => (unit === 'BX' ? t.boxOf(contains ?? 1) : t.each),
              },
              { title: words().price, value: ({ item }) => amountText(item.price, checkout.currency) },
              { title: t.lineTotal, value: ({ totals }) => amountText(totalOf(totals), checkout.currency) },
            ]}
            load={() => checkout.line_items}
          />
        </p>
      </div>
      {dirty ? (
        <div class="row card-foot">
          <p class="note">{left.length === 0 ? t.noLines : t.saveNote}</p>
          <div class="row">
            <Button onClick={() => setChanged({})}>{texts().cancel}</Button>
            <Button
              needs="updateCheckout"
              kind="primary"
              busy={save.busy}
              disabled={!valid || left.length === 0}
              onClick={() => void save.run()}
            >
              {t.save}
            </Button>
          </div>
        </div>
      ) : null}
      {!dirty && editable && hasLeftOut(checkout) ? (
        <div class="row card-foot">
          <p class="note">{t.withoutThemNote}</p>
          <Button needs="updateCheckout" kind="primary" busy={save.busy} onClick={() => void save.run()}>
            {t.withoutThem}
          </Button>
        </div>
      ) : null}
      {save.error === undefined ? null : <Failure error={save.error} compact />}
    </Section>
  )
}
