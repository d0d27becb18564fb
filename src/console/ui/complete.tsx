/** Spending money: the sum is shown and typed again, then the supplier is asked, and its answer is waited for here. */
import { useState } from 'preact/hooks'
import type { Checkout } from '../../contract/checkout.ts'
import { useAction } from '../lib/action.ts'
import { client } from '../lib/api.ts'
import { fenOf, totalOf, yuan, yuanText } from '../lib/format.ts'
import { w } from '../lib/i18n.ts'
import { useGuardrails } from '../lib/queries.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import { Failure, Messages, Notice } from './messages.tsx'
import { Facts, Money } from './parts.tsx'
import { toast } from './toast.tsx'

interface Props {
  readonly checkout: Checkout
  readonly onClose: () => void
  readonly put: (checkout: Checkout) => void
  readonly reload: () => void
}

export function Complete({ checkout, onClose, put, reload }: Props) {
  const words = w().complete
  const [typed, setTyped] = useState('')
  const [answer, setAnswer] = useState<Checkout>()
  const total = totalOf(checkout.totals)
  const right = fenOf(typed) === total
  const stopped = useGuardrails().data?.emergency_stop.engaged ?? false
  const complete = useAction(async () => {
    const next = await client.completeCheckout({ params: { id: checkout.id }, body: { confirm: true } })
    if (next.status === 'completed') {
      toast(words.done(checkout.id, yuan(total)))
      onClose()
      put(next)
    } else {
      setAnswer(next)
      put(next)
    }
  })
  const close = () => {
    // Whatever happened, the page behind shows how the session stands now.
    if (complete.error !== undefined) reload()
    onClose()
  }
  return (
    <Dialog
      title={words.title}
      onClose={close}
      held={complete.busy}
      onSubmit={() => {
        if (right) void complete.run()
      }}
      footer={
        <>
          <Button onClick={close} disabled={complete.busy}>
            {w().cancel}
          </Button>
          <Button kind="primary" type="submit" busy={complete.busy} disabled={!right}>
            {complete.busy ? words.busy : words.submit(yuan(total))}
          </Button>
        </>
      }
    >
      <p>{words.lead}</p>
      <Facts
        of={[
          [w().purchase.supplier, checkout.vendor],
          [w().purchase.lines, String(checkout.line_items.length)],
          [
            w().purchase.sum,
            <strong class="big-sum">
              <Money fen={total} />
            </strong>,
          ],
        ]}
      />
      {stopped ? (
        <Notice tone="bad" title={w().banner.stopped}>
          {words.stopped}
        </Notice>
      ) : null}
      <Field
        label={words.type(yuanText(total))}
        prefix="¥"
        inputMode="decimal"
        autocomplete="off"
        autofocus
        name="sum"
        value={typed}
        onInput={setTyped}
        wrong={
          typed !== '' && fenOf(typed) === undefined
            ? words.notASum
            : typed !== '' && !right && typed.length >= yuanText(total).length
              ? words.differs
              : undefined
        }
      />
      {complete.busy ? <p role="status">{words.waiting}</p> : null}
      {complete.error === undefined ? null : <Failure error={complete.error} />}
      {answer ? <Messages of={answer.messages} /> : null}
    </Dialog>
  )
}
