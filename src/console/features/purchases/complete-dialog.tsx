/** Places the order: the operator types the total, then the dialog waits for the supplier's response. */
import { useEffect, useState } from 'preact/hooks'
import type { Checkout } from '../../../contract/shapes/checkout.ts'
import { useWrite } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { readTypedAmount } from '../../../kernel/typed-amount.ts'
import { type CheckoutProps, isHandedOver } from './checkout.ts'
import { amountText, currencySign, money, totalOf } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { me } from '../../lib/service/me.ts'
import { useBlock, useConnections } from '../../lib/service/queries.ts'
import { ActionDialog } from '../../ui/form/action-dialog.tsx'
import { DryRun } from '../../ui/form/dry-run.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Messages } from '../../ui/messages.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Facts } from '../../ui/section.tsx'
import { Money } from '../../ui/value.tsx'
import { toast } from '../../ui/toast.tsx'

interface Props extends CheckoutProps {
  readonly onClose: () => void
  readonly reload: () => void
}

export function CompleteDialog({ checkout, onClose, put, reload }: Props) {
  const t = texts().complete
  const [typed, setTyped] = useState('')
  const [answer, setAnswer] = useState<Checkout>()
  const total = totalOf(checkout.totals)
  const { currency } = checkout
  const read = readTypedAmount(typed, currency)
  const right = read.ok && read.amount === total
  const block = useBlock(t.stopped)
  const supplier = useConnections().data?.find(({ namespace }) => namespace === checkout.vendor)
  const isByHand = supplier?.capabilities.includes('orderByHand') === true
  const complete = useWrite(async (idempotencyKey) => {
    const next = await client.completeCheckout({ params: { id: checkout.id }, body: { confirm: true }, idempotencyKey })
    if (next.status === 'completed') {
      // The supplier may have lowered its price since.
      toast(t.done(checkout.id, money(totalOf(next.totals), currency)))
      onClose()
      put(next)
    } else if (isHandedOver(next)) {
      // The page shows what a person has to do next.
      onClose()
      put(next)
    } else {
      setAnswer(next)
      put(next)
    }
  })
  // The answer was lost, but the page has read since what became of the purchase.
  const isKnown = complete.isUnclear && !complete.busy && checkout.status !== 'ready_for_complete'
  useEffect(() => {
    if (!isKnown) return
    if (checkout.status === 'completed') toast(t.done(checkout.id, money(total, currency)))
    onClose()
  }, [isKnown])
  const close = () => {
    // A failed attempt may have changed the session.
    if (complete.error !== undefined) reload()
    onClose()
  }
  return (
    <ActionDialog
      title={t.title}
      action={complete}
      submit={t.submit(money(total, currency))}
      busyText={words().ordering}
      // While the supplier's answer is awaited there is nothing to order again.
      ready={right && !block && checkout.status === 'ready_for_complete'}
      onClose={close}
    >
      <p>{me.value?.environment === 'staging' ? t.leadSimulated : isByHand ? t.leadByHand : t.lead}</p>
      <Facts
        items={[
          [words().supplier, checkout.vendor],
          [words().lines, String(checkout.line_items.length)],
          [
            words().total,
            <strong class="big-total">
              <Money amount={total} currency={currency} />
            </strong>,
          ],
        ]}
      />
      {block ? (
        <Notice tone="bad" title={block.title}>
          {block.text}
        </Notice>
      ) : answer || complete.error !== undefined ? null : (
        <DryRun
          of={checkout.id}
          ask={(signal) =>
            client.completeCheckout({
              params: { id: checkout.id },
              body: { confirm: true },
              query: { dry_run: 'true' },
              signal,
            })
          }
        />
      )}
      <Field
        label={t.confirmTotal(amountText(total, currency))}
        prefix={currencySign(currency)}
        inputMode="decimal"
        autocomplete="off"
        autofocus
        name="total"
        value={typed}
        onInput={setTyped}
        error={
          typed !== '' && !read.ok
            ? texts().amountProblems[read.problem](amountText(total, currency))
            : typed !== '' && !right && typed.length >= amountText(total, currency).length
              ? t.differs
              : undefined
        }
      />
      {complete.busy ? <p role="status">{t.waiting}</p> : null}
      {answer ? <Messages messages={answer.messages} /> : null}
    </ActionDialog>
  )
}
