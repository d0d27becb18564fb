/** The price of one product on several machines: the effect is shown first, then each machine is changed in turn. */
import { useState } from 'preact/hooks'
import type { Overview } from '../../../contract/shapes/overview.ts'
import type { PlanEntry } from '../../../contract/shapes/replenishment.ts'
import type { PriceChange } from '../../../contract/shapes/pricing.ts'
import { VendopsError } from '../../../client/error.ts'
import { readTypedAmount } from '../../../kernel/typed-amount.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { amountText, currencySign, money, rate } from '../../lib/text/format.ts'
import { textsOf, texts, words } from '../../lib/text/i18n.ts'
import { useBlock, useGuardrails, useMachineGoods, useNames, useProductPlan } from '../../lib/service/queries.ts'
import { href, query, setQuery } from '../../lib/router.ts'
import { messageLine } from '../../lib/text/service-text.ts'
import type { Tone } from '../../lib/text/tone.ts'
import { PRICES } from '../../locales/money/prices.ts'
import '../../styles/operator.css'
import { Badge } from '../../ui/value.tsx'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Failure, Loaded, Skeleton } from '../../ui/loaded.tsx'
import { Field, Select } from '../../ui/form/field.tsx'
import { PageHeader, Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'

type Kind = 'set' | 'raise' | 'lower'
type State = 'same' | 'allowed' | 'approval' | 'refused' | 'done' | 'asked' | 'failed'

interface Effect {
  readonly state: State
  /** Why it was refused, or the approval that is waiting. */
  readonly text?: string | undefined
  readonly approval?: string | undefined
}

const TONES: Readonly<Record<State, Tone>> = {
  same: 'calm',
  allowed: 'ok',
  approval: 'warn',
  refused: 'bad',
  done: 'ok',
  asked: 'warn',
  failed: 'bad',
}

const nextPrice = (kind: Kind, amount: number, now: number): number =>
  kind === 'set' ? amount : kind === 'raise' ? now + amount : now - amount

export function Prices() {
  const t = textsOf(PRICES)
  const goods = useMachineGoods()
  return (
    <>
      <PageHeader
        title={texts().pages.prices}
        back={{ href: '/machines', text: texts().pages.machines }}
        lead={t.lead}
      />
      <Loaded resource={goods} lines={8} height={44}>
        {(list) => <PriceTable goods={list} />}
      </Loaded>
    </>
  )
}

function PriceTable({ goods }: { readonly goods: NonNullable<Overview['products']> }) {
  const t = textsOf(PRICES)
  const block = useBlock(texts().price.stopped)
  const [kind, setKind] = useState<Kind>('set')
  const [typed, setText] = useState<string>()
  const [chosenLeft, setLeft] = useState<ReadonlySet<string>>()
  const [effects, setEffects] = useState<ReadonlyMap<string, Effect>>(new Map())
  const [progress, setProgress] = useState(0)
  const product = query('sku')
  const plan = useProductPlan(product)
  // A request sets the price of all lanes of a product in a machine.
  const entries = [
    ...new Map(
      (plan.data ?? []).filter(({ price }) => price !== undefined).map((entry) => [entry.location, entry] as const),
    ).values(),
  ]
  const { name } = useNames(entries.map(({ location }) => location))
  const stated = useGuardrails().data?.currency
  const currency = entries[0]?.price?.currency ?? stated ?? 'CNY'
  // A link may propose a price, and machines for it.
  const [proposed, machines] = [query('price'), query('machines')]
  const text = typed ?? (/^\d{1,9}$/.test(proposed) ? amountText(Number(proposed), currency) : '')
  const left = chosenLeft ?? leftOf(entries, machines)
  const read = text === '' ? undefined : readTypedAmount(text, currency)
  const amount = read?.ok ? read.amount : undefined
  const priceOf = (entry: PlanEntry): number => entry.price?.amount ?? 0
  const nextPriceOf = (entry: PlanEntry): number | undefined =>
    amount === undefined ? undefined : nextPrice(kind, amount, priceOf(entry))
  const chosen = entries.filter((entry) => !left.has(entry.location) && (nextPriceOf(entry) ?? 0) > 0)
  const isTooLow = amount !== undefined && entries.some((entry) => (nextPriceOf(entry) ?? 1) <= 0)
  const forget = () => setEffects(new Map())

  const send = (entry: PlanEntry, dry: boolean): Promise<PriceChange> =>
    client.changePrices({
      params: { id: entry.location },
      body: {
        prices: [{ item: { id: product }, price: { amount: nextPriceOf(entry) ?? 0, currency } }],
        confirm: true,
      },
      ...(dry ? { query: { dry_run: 'true' as const } } : {}),
    })
  /** One machine after the other: each is read and written at its platform. */
  async function run(list: readonly PlanEntry[], dry: boolean): Promise<ReadonlyMap<string, Effect>> {
    const found = new Map(effects)
    setProgress(0)
    for (const entry of list) {
      found.set(entry.location, await previewOrChangePrice(entry, dry))
      setEffects(new Map(found))
      setProgress((n) => n + 1)
    }
    return found
  }
  async function previewOrChangePrice(entry: PlanEntry, dry: boolean): Promise<Effect> {
    try {
      const change = await send(entry, dry)
      const approval = Object.values(change.actions ?? {}).flat()[0]?.id
      // The service looks at all lanes; the price shown here is that of the first.
      if (change.updated.length > 0 && change.updated.every(({ previous, price }) => previous.amount === price.amount))
        return { state: 'same' }
      const needs = (change.evidence ?? []).some((one) => one.needs_approval)
      if (dry) return { state: needs ? 'approval' : 'allowed' }
      return approval === undefined ? { state: 'done' } : { state: 'asked', approval }
    } catch (error) {
      const text =
        error instanceof VendopsError ? error.messages.map(messageLine).join(' ') || error.message : undefined
      return { state: dry ? 'refused' : 'failed', text }
    }
  }
  const preview = useAction(() => run(chosen, true))
  const sendable = chosen.filter(({ location }) => ['allowed', 'approval'].includes(effects.get(location)?.state ?? ''))
  const apply = useAction(async () => {
    const found = await run(sendable, false)
    const count = (state: State) => sendable.filter(({ location }) => found.get(location)?.state === state).length
    // What was refused says so in its row.
    if (count('done') + count('asked') > 0) toast(t.done(count('done'), count('asked')))
  })
  const countOf = (state: State) => chosen.filter(({ location }) => effects.get(location)?.state === state).length
  const perDay = sendable.reduce(
    (sum, entry) => sum + ((nextPriceOf(entry) ?? 0) - priceOf(entry)) * entry.demand.daily_rate,
    0,
  )
  return (
    <div class="stack">
      <Section title={t.how}>
        <div class="form-grid">
          <Select
            label={words().product}
            value={product}
            onChange={(sku) => {
              setQuery({ sku, price: undefined, machines: undefined })
              setText('')
              setLeft(new Set())
              forget()
            }}
            options={[['', t.chooseProduct], ...goods.map(({ sku_id: id, title }) => [id, title] as const)]}
          />
          <Select
            label={t.how}
            value={kind}
            onChange={(value) => {
              setKind(value as Kind)
              forget()
            }}
            options={(['set', 'raise', 'lower'] as const).map((one) => [one, t.kinds[one]] as const)}
          />
          <Field
            label={words().amount}
            prefix={currencySign(currency)}
            inputMode="decimal"
            autocomplete="off"
            value={text}
            onInput={(value) => {
              setText(value)
              forget()
            }}
            error={read && !read.ok ? texts().amountProblems[read.problem](text) : isTooLow ? t.tooLow : undefined}
          />
        </div>
      </Section>
      {plan.error === undefined ? null : <Failure error={plan.error} retry={() => void plan.reload()} />}
      {plan.data === undefined && plan.busy ? <Skeleton lines={6} height={44} /> : null}
      {entries.length === 0 ? null : (
        <DataTable
          framed
          csv={`${texts().pages.prices} ${entries[0]?.item.title ?? ''}`}
          rows={entries}
          keyOf={({ location }) => location}
          columns={[
            {
              title: words().machine,
              value: ({ location }) => name(location),
              cell: ({ location }) => (
                <label class="link-choice">
                  <input
                    type="checkbox"
                    aria-label={t.choose(name(location))}
                    checked={!left.has(location)}
                    disabled={preview.busy || apply.busy}
                    onChange={(event) => {
                      const others = new Set(left)
                      if (event.currentTarget.checked) others.delete(location)
                      else others.add(location)
                      setLeft(others)
                      forget()
                    }}
                  />
                  <a href={href.machine(location)}>{name(location)}</a>
                </label>
              ),
            },
            { title: words().priceNow, isNumber: true, cell: (entry) => money(priceOf(entry), currency) },
            {
              title: t.next,
              isNumber: true,
              cell: (entry) => {
                const price = nextPriceOf(entry)
                return price !== undefined && !left.has(entry.location) && money(Math.max(0, price), currency)
              },
            },
            { title: words().soldPerDay, isNumber: true, cell: ({ demand }) => rate(demand.daily_rate) },
            { title: t.effect, cell: ({ location }) => effectCell(effects.get(location)) },
          ]}
        />
      )}
      {preview.error === undefined ? null : <Failure error={preview.error} />}
      {apply.error === undefined ? null : <Failure error={apply.error} />}
      <div class="row sticky-foot">
        <p class={block ? 'toned bad' : 'note'} role="status">
          {apply.busy
            ? t.applying(progress, sendable.length)
            : block
              ? block.text
              : sendable.length > 0
                ? `${t.summary(countOf('allowed'), countOf('approval'))} ${t.revenue(`${perDay < 0 ? '−' : '+'}${money(Math.abs(Math.round(perDay)), currency)}`)}`
                : chosen.length === 0 || amount === undefined
                  ? t.none
                  : ''}
        </p>
        <div class="row">
          <Button
            needs="changePrices"
            kind={sendable.length > 0 ? 'plain' : 'primary'}
            action={preview}
            disabled={amount === undefined || chosen.length === 0 || apply.busy || block !== undefined}
          >
            {preview.busy ? t.previewing : t.preview}
          </Button>
          {sendable.length > 0 ? (
            <Button needs="changePrices" kind="primary" action={apply} disabled={preview.busy || block !== undefined}>
              {t.apply(sendable.length)}
            </Button>
          ) : null}
        </div>
      </div>
    </div>
  )
}

/** The machines that are not asked about. */
const leftOf = (entries: readonly PlanEntry[], machines: string): ReadonlySet<string> =>
  new Set(
    machines === '' ? [] : entries.map(({ location }) => location).filter((id) => !machines.split(',').includes(id)),
  )

function effectCell(effect: Effect | undefined) {
  const t = textsOf(PRICES)
  if (!effect) return undefined
  return (
    <>
      <Badge tone={TONES[effect.state]}>{t.states[effect.state]}</Badge>
      {effect.approval === undefined ? null : <a href={href.approval(effect.approval)}> {t.review}</a>}
      {effect.text === undefined ? null : <p class="faint">{effect.text}</p>}
    </>
  )
}
