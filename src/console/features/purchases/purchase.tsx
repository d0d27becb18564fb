/** One checkout session and its purchase order. */
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Checkout, CheckoutStatus } from '../../../contract/shapes/checkout.ts'
import type { Order } from '../../../contract/shapes/order.ts'
import { useAction } from '../../lib/service/action.ts'
import { client, VendopsError } from '../../lib/service/api.ts'
import {
  type CheckoutProps,
  generalMessages,
  isEditable,
  isOpen,
  isUnconfirmed,
  mayRecordOutcome,
  statusText,
  statusTone,
} from './checkout.ts'
import { totalOf } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { useBlock, useConnections } from '../../lib/service/queries.ts'
import { useResource } from '../../lib/service/resource.ts'
import { href, query } from '../../lib/router.ts'
import { messageLine } from '../../lib/text/service-text.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { CompleteDialog } from './complete-dialog.tsx'
import { Delivery } from './delivery-form.tsx'
import { CheckoutLines } from './checkout-lines.tsx'
import { Failure, Loaded } from '../../ui/loaded.tsx'
import { Messages } from '../../ui/messages.tsx'
import { OrderView } from './order-view.tsx'
import { arrivalFacts, isExpected, ReceiveOrder } from './receive-order.tsx'
import { ConfirmNotPlaced, DownloadDocument, OutcomeForm, SupplierCanceled } from './outcome-form.tsx'
import { Badge, Money, RelativeTime } from '../../ui/value.tsx'
import { Facts, PageHeader, Section } from '../../ui/section.tsx'
import { type Step, Timeline } from '../../ui/timeline.tsx'
import { toast } from '../../ui/toast.tsx'
import { WaitingForOwner } from '../approvals/waiting-for-owner.tsx'

type Found =
  | { readonly checkout: Checkout; readonly order?: Order | undefined }
  | { readonly checkout?: undefined; readonly order: Order }

/** The session with this id, and its order once it is completed. */
async function findPurchase(id: string, signal: AbortSignal): Promise<Found> {
  const params = { id }
  try {
    const checkout = await client.getCheckout({ params, signal })
    if (checkout.status !== 'completed') return { checkout }
    // The session is shown even if the supplier cannot be reached.
    return { checkout, order: await client.getOrder({ params, signal }).catch(() => undefined) }
  } catch (failure) {
    if (!(failure instanceof VendopsError) || failure.code !== 'not_found') throw failure
    return { order: await client.getOrder({ params, signal }) }
  }
}

export function Purchase({ id }: { readonly id: string }) {
  const t = texts().purchase
  const found = useResource(`purchase ${id}`, (signal) => findPurchase(id, signal), [
    'checkout',
    'approval',
    'replenishment',
  ])
  const checkout = found.data?.checkout
  const back = { href: '/orders?kind=purchase', text: t.all }
  return (
    <>
      <PageHeader
        title={id}
        back={back}
        badge={checkout ? <PurchaseBadge checkout={checkout} order={found.data?.order} /> : undefined}
        lead={checkout ? t.lead(checkout.vendor, checkout.line_items.length) : undefined}
      />
      <Loaded resource={found} lines={8}>
        {(data) =>
          data.checkout ? (
            <CheckoutView
              checkout={data.checkout}
              order={data.order}
              put={(next) => (next.status === 'completed' ? void found.reload() : found.put({ checkout: next }))}
              reload={() => void found.reload()}
            />
          ) : (
            <OrderView order={data.order} onReceived={() => void found.reload()} />
          )
        }
      </Loaded>
    </>
  )
}

/** Once it is ordered, what became of the goods. */
function PurchaseBadge({ checkout, order }: { readonly checkout: Checkout; readonly order: Order | undefined }) {
  const { received_at: receivedAt, supplier_status: supplier } = order ?? {}
  if (supplier?.mapped === 'cancelled') return <Badge tone="bad">{texts().purchase.supplierCanceled}</Badge>
  if (receivedAt !== undefined) return <Badge tone="ok">{texts().runStatus.delivered}</Badge>
  return <Badge tone={statusTone(checkout)}>{statusText(checkout)}</Badge>
}

interface CheckoutViewProps extends CheckoutProps {
  readonly order: Order | undefined
  readonly reload: () => void
}

function CheckoutView({ checkout, order, put, reload }: CheckoutViewProps) {
  const t = texts().purchase
  const [completing, setCompleting] = useState(false)
  const isAsked = query('order') === 'now' && checkout.status === 'ready_for_complete'
  // Once: an order that a person did not send is open again, and must not be asked about by itself.
  const wasAsked = useRef(false)
  useEffect(() => {
    if (isAsked && !wasAsked.current) setCompleting(true)
    wasAsked.current ||= isAsked
  }, [isAsked])
  const [canceling, setCanceling] = useState(false)
  const cancel = useAction(async () => {
    put(await client.cancelCheckout({ params: { id: checkout.id } }))
    toast(t.canceledToast(checkout.id))
    setCanceling(false)
  })
  const block = useBlock(texts().complete.stopped)
  const approval = Object.values(checkout.actions ?? {}).flat()[0]
  // The final total may differ; the order states it.
  const total = totalOf((order ?? checkout).totals)
  const editable = isEditable(checkout.status)
  const delivery = (
    <Delivery key={`${checkout.status} ${JSON.stringify(checkout.fulfillment)}`} checkout={checkout} put={put} />
  )
  const isWithoutDelivery =
    checkout.status === 'incomplete' &&
    (checkout.messages ?? []).some((message) => message.path?.startsWith('$.fulfillment'))
  return (
    <div class="two-thirds">
      <div class="stack">
        {approval ? <WaitingForOwner approval={approval}>{t.waitingText}</WaitingForOwner> : null}
        <Messages
          messages={generalMessages(checkout).filter(
            ({ code }) => !(approval && code === 'approval_required') && !(order && code === 'above_agreed'),
          )}
        />
        {/* The one thing that is missing comes first; below a long order nobody would find it. */}
        {isWithoutDelivery ? delivery : null}
        <CheckoutLines checkout={checkout} put={put} />
        {isWithoutDelivery ? null : delivery}
        {order ? <OrderView order={order} brief /> : null}
      </div>
      <div class="stack side-column">
        <Section title={words().total}>
          <p class="big-total">
            <Money amount={total} currency={checkout.currency} />
          </p>
          <Facts
            items={[
              ...chargesOf(checkout),
              [words().supplier, checkout.vendor],
              [t.payment, t.onAccount],
              isOpen(checkout.status) ? [words().expires, <RelativeTime at={checkout.expires_at} />] : undefined,
              checkout.order?.label && checkout.order.label !== checkout.id
                ? [words().supplierNumber, <code>{checkout.order.label}</code>]
                : undefined,
              ...(order ? arrivalFacts(order) : []),
            ]}
          />
          {order ? <ReceiveOrder order={order} onReceived={reload} /> : null}
          {checkout.status === 'ready_for_complete' ? (
            <Button
              needs="completeCheckout"
              kind="primary"
              disabled={block !== undefined}
              onClick={() => setCompleting(true)}
            >
              {words().orderNow}
            </Button>
          ) : null}
          {block && checkout.status === 'ready_for_complete' ? <p class="note">{block.text}</p> : null}
          {checkout.status === 'incomplete' ? <p class="note">{t.incompleteNote}</p> : null}
          {mayRecordOutcome(checkout) ? (
            <OutcomeForm checkout={checkout} put={put} />
          ) : checkout.status === 'complete_in_progress' ? (
            <p class="note">{t.progressNote}</p>
          ) : null}
          {checkout.status === 'completed' && checkout.order_document ? (
            <DownloadDocument document={checkout.order_document} />
          ) : null}
          {order && isExpected(order) ? <ReplyLink namespace={checkout.vendor} /> : null}
          {order && isExpected(order) && checkout.order_document ? (
            <SupplierCanceled checkout={checkout} put={put} />
          ) : null}
          {isUnconfirmed(checkout) ? <ConfirmNotPlaced checkout={checkout} put={put} /> : null}
          {cancel.error === undefined ? null : <Failure error={cancel.error} compact />}
          {editable ? (
            canceling ? (
              <div class="row" role="group" aria-label={t.cancelSure}>
                <Button onClick={() => setCanceling(false)} disabled={cancel.busy}>
                  {t.keep}
                </Button>
                <Button kind="danger" action={cancel}>
                  {t.cancelSure}
                </Button>
              </div>
            ) : (
              <Button needs="cancelCheckout" kind="quiet" onClick={() => setCanceling(true)}>
                {t.cancel}
              </Button>
            )
          ) : null}
        </Section>
        <Section title={t.progress}>
          <Timeline label={t.progress} steps={stepsOf(checkout, order)} />
        </Section>
      </div>
      {completing ? (
        <CompleteDialog checkout={checkout} onClose={() => setCompleting(false)} put={put} reload={reload} />
      ) : null}
    </div>
  )
}

/** Where the supplier answers by files, and files can be brought: others are read in a folder of the server. */
function ReplyLink({ namespace }: { readonly namespace: string }) {
  const found = useConnections().data?.find((connection) => connection.namespace === namespace)
  return found?.adapter === 'price-list' && found.managed === 'store' ? (
    <ButtonLink needs="uploadFile" href={href.uploadReply(namespace)}>
      {texts().purchase.uploadReply}
    </ButtonLink>
  ) : null
}

/** What the supplier charges beyond the lines. */
const chargesOf = ({ totals, currency }: Checkout): [string, JSX.Element][] =>
  totals
    .filter(({ type, amount }) => type !== 'subtotal' && type !== 'total' && amount !== 0)
    .map(({ type, amount }) => [texts().purchase.charges[type] ?? type, <Money amount={amount} currency={currency} />])

const STEPS: readonly CheckoutStatus[] = ['incomplete', 'requires_escalation', 'ready_for_complete', 'completed']

function stepsOf(checkout: Checkout, order: Order | undefined): readonly Step[] {
  const { status, messages } = checkout
  const t = texts()
  const place = STEPS.indexOf(status === 'complete_in_progress' ? 'completed' : status)
  const reached = status === 'canceled' ? -1 : place
  const steps: Step[] = STEPS.filter((step) => step !== 'requires_escalation' || status === 'requires_escalation').map(
    (step) => {
      const at = STEPS.indexOf(step)
      const done = status === 'completed' || at < reached
      return {
        text: step === 'completed' && status === 'complete_in_progress' ? statusText(checkout) : t.purchase.steps[step],
        state: done ? 'done' : at === reached ? 'now' : 'later',
      }
    },
  )
  const cause = messages?.find(({ type }) => type === 'error')
  if (status === 'canceled')
    return [
      { text: t.purchase.steps.incomplete, state: 'done' },
      {
        text: t.checkoutStatus.canceled,
        state: 'bad',
        note: cause && messageLine(cause),
      },
    ]
  const events = (order?.fulfillment.events ?? []).map((event): Step => ({
    text: (t.fulfillment as Readonly<Record<string, string>>)[event.type] ?? event.type,
    at: event.occurred_at,
    note: event.description,
    state: 'done',
  }))
  return [...steps, ...events]
}
