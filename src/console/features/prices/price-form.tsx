/** Changes a price on a live machine. The range allowed without approval is shown before anything is sent. */
import { useState } from 'preact/hooks'
import type { Variant } from '../../../contract/shapes/catalog.ts'
import type { PriceChange } from '../../../contract/shapes/pricing.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { readTypedAmount } from '../../../kernel/typed-amount.ts'
import { amountText, currencySign, money } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { href } from '../../lib/router.ts'
import { useGuardrails, useBlock } from '../../lib/service/queries.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { DryRun } from '../../ui/form/dry-run.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Messages } from '../../ui/messages.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Facts } from '../../ui/section.tsx'
import { Money } from '../../ui/value.tsx'
import { toast } from '../../ui/toast.tsx'

interface Props {
  readonly location: string
  readonly variant: Variant
  readonly onClose: () => void
  readonly onChanged: () => void
}

export function PriceForm({ location, variant, onClose, onChanged }: Props) {
  const t = texts().price
  const { amount: current, currency } = variant.price
  const [text, setText] = useState(amountText(current, currency))
  const [answer, setAnswer] = useState<PriceChange>()
  const guardrails = useGuardrails()
  const cap = guardrails.data?.rules.priceCapPerItem
  const block = useBlock(t.stopped)
  const read = readTypedAmount(text, currency)
  // A price of zero is none.
  const problem = !read.ok ? read.problem : read.amount > 0 ? undefined : 'not_an_amount'
  const wanted = read.ok && problem === undefined ? read.amount : undefined
  // A product may be in several lanes at several prices; the change sets all of them.
  const lanes = variant.inventory?.lanes?.map(({ price }) => price?.amount) ?? [current]
  const known = lanes.filter((amount) => amount !== undefined)
  const [lowest, highest] = [Math.min(...known), Math.max(...known)]
  const furthest = wanted !== undefined && wanted - lowest > highest - wanted ? lowest : highest
  const over = wanted !== undefined && cap !== undefined && Math.abs(wanted - furthest) > cap
  const same = lanes.every((amount) => amount === wanted)
  const bodyOf = (amount: number) => ({
    prices: [{ item: { id: variant.id }, price: { amount, currency } }],
    confirm: true as const,
  })
  const change = useAction(async (amount: number) => {
    const next = await client.changePrices({ params: { id: location }, body: bodyOf(amount) })
    setAnswer(next)
    onChanged()
    if (next.updated.length === 0) return
    toast(t.changed(variant.title, money(amount, currency)))
    if ((next.messages ?? []).length === 0) onClose()
  })
  const approval = Object.values(answer?.actions ?? {}).flat()[0]
  return (
    <Dialog
      title={t.title}
      onClose={onClose}
      busy={change.busy}
      onSubmit={() => {
        if (wanted !== undefined && !same && !approval && !block) void change.run(wanted)
      }}
      footer={
        approval ? (
          <>
            <Button onClick={onClose}>{texts().close}</Button>
            <ButtonLink kind="primary" href={href.approval(approval.id)}>
              {t.review}
            </ButtonLink>
          </>
        ) : (
          <>
            <Button onClick={onClose} disabled={change.busy}>
              {texts().cancel}
            </Button>
            <Button
              kind="primary"
              type="submit"
              busy={change.busy}
              disabled={wanted === undefined || same || block !== undefined}
            >
              {change.busy ? t.busy : over ? words().askForApproval : t.submit}
            </Button>
          </>
        )
      }
    >
      <p class="strong">{variant.title}</p>
      <Facts
        items={[
          [
            t.current,
            lowest === highest ? (
              <Money {...variant.price} />
            ) : (
              t.range(money(lowest, currency), money(highest, currency))
            ),
          ],
          cap === undefined || highest - cap > lowest + cap
            ? undefined
            : [t.allowed, t.range(money(Math.max(1, highest - cap), currency), money(lowest + cap, currency))],
        ]}
      />
      <Field
        label={t.next}
        prefix={currencySign(currency)}
        inputMode="decimal"
        autocomplete="off"
        autofocus
        name="price"
        value={text}
        onInput={setText}
        disabled={approval !== undefined}
        error={problem && texts().amountProblems[problem](amountText(current, currency))}
        hint={
          wanted !== undefined && !same
            ? t.difference(`${wanted > furthest ? '+' : '−'}${money(Math.abs(wanted - furthest), currency)}`)
            : undefined
        }
      />
      {block ? (
        <Notice tone="bad" title={block.title}>
          {block.text}
        </Notice>
      ) : wanted === undefined || same || answer || change.error !== undefined ? null : (
        <DryRun
          of={String(wanted)}
          ask={(signal) =>
            client.changePrices({
              params: { id: location },
              body: bodyOf(wanted),
              query: { dry_run: 'true' },
              signal,
            })
          }
        />
      )}
      {change.error === undefined ? null : <Failure error={change.error} />}
      <div role="status">
        <Messages messages={answer?.messages} />
      </div>
    </Dialog>
  )
}
