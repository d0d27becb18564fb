/** The lines of a checkout session with their messages; quantities can be changed while the session is editable. */
import { useState } from 'preact/hooks'
import type { LineItem } from '../../../contract/shapes/checkout.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { type CheckoutProps, hasLeftOut, isEditable, messagesAt, unitText } from './checkout.ts'
import { totalOf } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { may } from '../../lib/service/me.ts'
import { href } from '../../lib/router.ts'
import { messageLine } from '../../lib/text/service-text.ts'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Money } from '../../ui/value.tsx'
import { Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'

export function CheckoutLines({ checkout, put }: CheckoutProps) {
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
      <DataTable
        class="lines"
        csv={checkout.id}
        rows={checkout.line_items}
        keyOf={({ id }) => id}
        columns={[
          { title: texts().pages.sku, value: ({ item }) => item.id },
          {
            title: words().item,
            value: ({ item }) => item.title,
            cell: (line) => (
              <>
                <a href={href.sku(line.item.id)}>{line.item.title}</a>
                {messagesAt(checkout.messages, `$.line_items[${checkout.line_items.indexOf(line)}]`).map((message) => (
                  <p key={message.content} class={`note at-field ${message.type}`}>
                    {messageLine(message)}
                  </p>
                ))}
              </>
            ),
          },
          {
            title: words().quantity,
            isNumber: true,
            value: ({ quantity }) => quantity,
            cell: (line) => (
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
                <span class="note unit">{unitText(line.quantity_unit)}</span>
              </span>
            ),
          },
          { title: texts().sku.unit, value: ({ quantity_unit: unit }) => unitText(unit) },
          {
            title: words().price,
            isNumber: true,
            cell: ({ item }) => <Money amount={item.price} currency={checkout.currency} />,
          },
          {
            title: t.lineTotal,
            isNumber: true,
            cell: ({ totals }) => <Money amount={totalOf(totals)} currency={checkout.currency} />,
          },
        ]}
        foot={
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
        }
      />
      {dirty ? (
        <div class="row card-foot">
          <p class="note">{left.length === 0 ? t.noLines : t.saveNote}</p>
          <div class="row">
            <Button onClick={() => setChanged({})}>{texts().cancel}</Button>
            <Button needs="updateCheckout" kind="primary" action={save} disabled={!valid || left.length === 0}>
              {t.save}
            </Button>
          </div>
        </div>
      ) : null}
      {!dirty && editable && hasLeftOut(checkout) ? (
        <div class="row card-foot">
          <p class="note">{t.withoutThemNote}</p>
          <Button needs="updateCheckout" kind="primary" action={save}>
            {t.withoutThem}
          </Button>
        </div>
      ) : null}
      {save.error === undefined ? null : <Failure error={save.error} compact />}
    </Section>
  )
}
