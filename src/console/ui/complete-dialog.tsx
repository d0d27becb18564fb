/** Places the order: the operator types the total, then the dialog waits for the supplier's response. */
import { useState } from 'preact/hooks'
import type { Checkout } from '../../contract/checkout.ts'
import { useAction } from '../lib/action.ts'
import { client } from '../lib/api.ts'
import { parseFen, totalOf, yuan, yuanText } from '../lib/format.ts'
import { texts } from '../lib/i18n.ts'
import { useGuardrails } from '../lib/queries.ts'
import { ActionDialog } from './action-dialog.tsx'
import { Field } from './field.tsx'
import { Messages } from './messages.tsx'
import { Notice } from './notice.tsx'
import { Facts } from './facts.tsx'
import { Money } from './money.tsx'
import { toast } from './toast.tsx'

interface Props {
  readonly checkout: Checkout
  readonly onClose: () => void
  readonly put: (checkout: Checkout) => void
  readonly reload: () => void
}

export function CompleteDialog({ checkout, onClose, put, reload }: Props) {
  const t = texts().complete
  const [typed, setTyped] = useState('')
  const [answer, setAnswer] = useState<Checkout>()
  const total = totalOf(checkout.totals)
  const right = parseFen(typed) === total
  const stopped = useGuardrails().data?.emergency_stop.engaged ?? false
  const complete = useAction(async () => {
    const next = await client.completeCheckout({ params: { id: checkout.id }, body: { confirm: true } })
    if (next.status === 'completed') {
      toast(t.done(checkout.id, yuan(total)))
      onClose()
      put(next)
    } else {
      setAnswer(next)
      put(next)
    }
  })
  const close = () => {
    // A failed attempt may have changed the session.
    if (complete.error !== undefined) reload()
    onClose()
  }
  return (
    <ActionDialog
      title={t.title}
      action={complete}
      submit={t.submit(yuan(total))}
      busyText={t.busy}
      ready={right}
      onClose={close}
    >
      <p>{t.lead}</p>
      <Facts
        items={[
          [texts().purchase.supplier, checkout.vendor],
          [texts().purchase.lines, String(checkout.line_items.length)],
          [
            texts().purchase.total,
            <strong class="big-total">
              <Money fen={total} />
            </strong>,
          ],
        ]}
      />
      {stopped ? (
        <Notice tone="bad" title={texts().banner.stopped}>
          {t.stopped}
        </Notice>
      ) : null}
      <Field
        label={t.confirmTotal(yuanText(total))}
        prefix="¥"
        inputMode="decimal"
        autocomplete="off"
        autofocus
        name="total"
        value={typed}
        onInput={setTyped}
        error={
          typed !== '' && parseFen(typed) === undefined
            ? t.notAnAmount
            : typed !== '' && !right && typed.length >= yuanText(total).length
              ? t.differs
              : undefined
        }
      />
      {complete.busy ? <p role="status">{t.waiting}</p> : null}
      {answer ? <Messages messages={answer.messages} /> : null}
    </ActionDialog>
  )
}
