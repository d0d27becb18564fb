/** One checkout session, or the purchase order it became. */
import { useState } from 'preact/hooks'
import type { Checkout, CheckoutStatus } from '../../contract/checkout.ts'
import type { Order } from '../../contract/order.ts'
import { useAction } from '../lib/action.ts'
import { client, VendopsError } from '../lib/api.ts'
import { generalMessages, isEditable, isOpen, STATUS_TONE } from '../lib/checkout.ts'
import { totalOf } from '../lib/format.ts'
import { w } from '../lib/i18n.ts'
import { useResource } from '../lib/resource.ts'
import { href } from '../lib/router.ts'
import { Button } from '../ui/button.tsx'
import { Complete } from '../ui/complete.tsx'
import { Delivery } from '../ui/delivery.tsx'
import { CheckoutLines } from '../ui/lines.tsx'
import { Failure, Loaded, Messages, Notice } from '../ui/messages.tsx'
import { OrderView } from '../ui/order-view.tsx'
import { Badge, Facts, Money, PageHeader, Section, Timeline, When } from '../ui/parts.tsx'
import type { Step } from '../ui/parts.tsx'
import { toast } from '../ui/toast.tsx'

type Found =
  | { readonly checkout: Checkout; readonly order?: Order | undefined }
  | { readonly checkout?: undefined; readonly order: Order }

/** A session by this number, and the order with the supplier once there is one. */
async function find(id: string, signal: AbortSignal): Promise<Found> {
  const params = { id }
  try {
    const checkout = await client.getCheckout({ params, signal })
    if (checkout.status !== 'completed') return { checkout }
    // The supplier may be out of reach; the session is worth showing all the same.
    return { checkout, order: await client.getOrder({ params, signal }).catch(() => undefined) }
  } catch (failure) {
    if (!(failure instanceof VendopsError) || failure.code !== 'not_found') throw failure
    return { order: await client.getOrder({ params, signal }) }
  }
}

export function Purchase({ id }: { readonly id: string }) {
  const words = w().purchase
  const found = useResource(`purchase ${id}`, (signal) => find(id, signal), ['checkout', 'approval'])
  const checkout = found.data?.checkout
  const back = { href: '/orders?kind=purchase', text: words.all }
  return (
    <>
      <PageHeader
        title={id}
        back={back}
        badge={
          checkout ? (
            <Badge tone={STATUS_TONE[checkout.status]}>{w().checkoutStatus[checkout.status]}</Badge>
          ) : undefined
        }
        lead={checkout ? words.lead(checkout.vendor, checkout.line_items.length) : undefined}
      />
      <Loaded of={found} lines={8}>
        {(data) =>
          data.checkout ? (
            <Session
              checkout={data.checkout}
              order={data.order}
              put={(next) => (next.status === 'completed' ? void found.reload() : found.put({ checkout: next }))}
              reload={() => void found.reload()}
            />
          ) : (
            <OrderView order={data.order} />
          )
        }
      </Loaded>
    </>
  )
}

interface SessionProps {
  readonly checkout: Checkout
  readonly order: Order | undefined
  readonly put: (checkout: Checkout) => void
  readonly reload: () => void
}

function Session({ checkout, order, put, reload }: SessionProps) {
  const words = w().purchase
  const [completing, setCompleting] = useState(false)
  const [canceling, setCanceling] = useState(false)
  const cancel = useAction(async () => {
    put(await client.cancelCheckout({ params: { id: checkout.id } }))
    toast(words.canceledToast(checkout.id))
    setCanceling(false)
  })
  const approval = Object.values(checkout.actions ?? {}).flat()[0]
  const total = totalOf(checkout.totals)
  const editable = isEditable(checkout.status)
  return (
    <div class="two-thirds">
      <div class="stack">
        {approval ? (
          <Notice
            tone="warn"
            title={words.waits}
            action={
              <a class="button primary" href={href.approval(approval.id)}>
                <span>{words.decide}</span>
              </a>
            }
          >
            {words.waitsText}
          </Notice>
        ) : null}
        <Messages of={generalMessages(checkout).filter(({ code }) => !(approval && code === 'approval_required'))} />
        <CheckoutLines checkout={checkout} put={put} />
        <Delivery key={`${checkout.status} ${JSON.stringify(checkout.fulfillment)}`} checkout={checkout} put={put} />
        {order ? <OrderView order={order} brief /> : null}
      </div>
      <div class="stack side-column">
        <Section title={words.sum}>
          <p class="big-sum">
            <Money fen={total} />
          </p>
          <Facts
            of={[
              [words.supplier, checkout.vendor],
              [words.payment, words.onAccount],
              isOpen(checkout.status) ? [words.expires, <When at={checkout.expires_at} />] : undefined,
              checkout.order?.label ? [words.supplierNumber, <code>{checkout.order.label}</code>] : undefined,
            ]}
          />
          {checkout.status === 'ready_for_complete' ? (
            <Button kind="primary" onClick={() => setCompleting(true)}>
              {words.complete}
            </Button>
          ) : null}
          {checkout.status === 'incomplete' ? <p class="note">{words.incompleteNote}</p> : null}
          {checkout.status === 'complete_in_progress' ? <p class="note">{words.progressNote}</p> : null}
          {cancel.error === undefined ? null : <Failure error={cancel.error} compact />}
          {editable ? (
            canceling ? (
              <div class="row" role="group" aria-label={words.cancelSure}>
                <Button onClick={() => setCanceling(false)} disabled={cancel.busy}>
                  {words.keep}
                </Button>
                <Button kind="danger" busy={cancel.busy} onClick={() => void cancel.run()}>
                  {words.cancelSure}
                </Button>
              </div>
            ) : (
              <Button kind="quiet" onClick={() => setCanceling(true)}>
                {words.cancel}
              </Button>
            )
          ) : null}
        </Section>
        <Section title={words.state}>
          <Timeline label={words.state} steps={stepsOf(checkout, order)} />
        </Section>
      </div>
      {completing ? (
        <Complete checkout={checkout} onClose={() => setCompleting(false)} put={put} reload={reload} />
      ) : null}
    </div>
  )
}

const PATH: readonly CheckoutStatus[] = ['incomplete', 'requires_escalation', 'ready_for_complete', 'completed']

function stepsOf({ status, messages }: Checkout, order: Order | undefined): readonly Step[] {
  const words = w()
  const place = PATH.indexOf(status === 'complete_in_progress' ? 'completed' : status)
  const reached = status === 'canceled' ? -1 : place
  const steps: Step[] = PATH.filter((step) => step !== 'requires_escalation' || status === 'requires_escalation').map(
    (step) => {
      const at = PATH.indexOf(step)
      const done = status === 'completed' || at < reached
      return {
        text:
          step === 'completed' && status === 'complete_in_progress'
            ? words.checkoutStatus.complete_in_progress
            : words.purchase.steps[step],
        state: done ? 'done' : at === reached ? 'now' : 'later',
      }
    },
  )
  if (status === 'canceled')
    return [
      { text: words.purchase.steps.incomplete, state: 'done' },
      {
        text: words.checkoutStatus.canceled,
        state: 'bad',
        note: messages?.find(({ type }) => type === 'error')?.content,
      },
    ]
  const events = (order?.fulfillment.events ?? []).map((event): Step => ({
    text: (words.fulfillment as Readonly<Record<string, string>>)[event.type] ?? event.type,
    at: event.occurred_at,
    note: event.description,
    state: 'done',
  }))
  return [...steps, ...events]
}
