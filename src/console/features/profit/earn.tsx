/** Earn more: the best next steps of the route or a machine, each with its gain and one tap. For owner and operator. */
import type { EarnStep } from '../../../contract/shapes/money/earn.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { dayText, money } from '../../lib/text/format.ts'
import { texts, textsOf } from '../../lib/text/i18n.ts'
import { useResource } from '../../lib/service/resource.ts'
import { href } from '../../lib/router.ts'
import { EARN } from '../../locales/money/earn.ts'
import { Button } from '../../ui/button.tsx'
import { Empty, Failure, Loaded } from '../../ui/loaded.tsx'
import { Facts, PageHeader, Section } from '../../ui/section.tsx'
import { Messages } from '../../ui/messages.tsx'
import { toast } from '../../ui/toast.tsx'

const useEarn = (location?: string) =>
  useResource(`earn ${location ?? ''}`, (signal) => client.getEarn({ query: { location }, signal }), [
    'sync',
    'replenishment',
    'price_change',
  ])

export function Earn() {
  const t = textsOf(EARN)
  const found = useEarn()
  return (
    <>
      <PageHeader title={texts().pages.earn} lead={t.lead} />
      <Loaded resource={found} lines={6} height={40}>
        {({ steps, currency }) =>
          steps.length === 0 ? (
            <Empty icon="earn" title={t.none}>
              {t.noneText}
            </Empty>
          ) : (
            <Section title={t.title}>
              <Steps steps={steps} currency={currency} reload={found.reload} />
            </Section>
          )
        }
      </Loaded>
    </>
  )
}

const FIRST_SHOWN = 3

/** Of one machine: what it earns a month now and at best, what that means, and the steps. */
export function WorthSection({ location }: { readonly location: string }) {
  const t = textsOf(EARN).worth
  const found = useEarn(location)
  return (
    <Section
      title={t.title}
      note={found.data?.worth && t.note(dayText(found.data.worth.period.from), dayText(found.data.worth.period.to))}
    >
      <Loaded resource={found} lines={3} height={40}>
        {({ worth, steps, currency, messages }) =>
          worth === undefined ? null : (
            <>
              <p>{t.verdicts[worth.verdict]}</p>
              {/* A month's figures of a few days would be a guess. */}
              {worth.verdict === 'too_early' ? null : (
                <Facts
                  items={[
                    [t.now, money(worth.profit_per_month, currency)],
                    worth.best_per_month > worth.profit_per_month
                      ? [t.best, money(worth.best_per_month, currency)]
                      : undefined,
                    [t.visits, worth.visits_per_month],
                    worth.bearable_per_month === undefined
                      ? undefined
                      : [t.bearable, money(worth.bearable_per_month, currency)],
                  ]}
                />
              )}
              <Messages messages={messages} />
              {steps.length === 0 ? (
                <p class="faint">{t.none}</p>
              ) : (
                <>
                  <Steps steps={steps.slice(0, FIRST_SHOWN)} currency={currency} reload={found.reload} isOfMachine />
                  {steps.length > FIRST_SHOWN ? (
                    <details>
                      <summary>{t.more(steps.length - FIRST_SHOWN)}</summary>
                      <Steps steps={steps.slice(FIRST_SHOWN)} currency={currency} reload={found.reload} isOfMachine />
                    </details>
                  ) : null}
                </>
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function Steps({
  steps,
  currency,
  reload,
  isOfMachine = false,
}: {
  readonly steps: readonly EarnStep[]
  readonly currency: string
  readonly reload: () => Promise<void>
  readonly isOfMachine?: boolean
}) {
  const t = textsOf(EARN)
  const act = useAction(async (step: EarnStep) => {
    toast((await take(step)) === 'asked' ? texts().operator.swaps.accepted : t.done)
    await reload()
  })
  return (
    <>
      <ul class="rows">
        {steps.map((step) => (
          <li key={[step.step, step.location, step.slot_id, step.item?.id].join(' ')}>
            <div>
              {step.location === undefined || isOfMachine ? null : (
                <>
                  <a href={href.machine(step.location)}>{step.location_name ?? step.location}</a>
                  {' · '}
                </>
              )}
              {describe(step, currency)}
              <p class="faint">
                {t.gain(money(step.expected.gain, currency), money(step.expected.error, currency))}
                {step.profit_per_month === undefined || isOfMachine
                  ? ''
                  : ` · ${t.profit(money(step.profit_per_month, currency))}`}
              </p>
            </div>
            {isOfMachine && !CAN_BE_TAKEN.has(step.step) ? null : (
              <StepButton step={step} busy={act.busy} run={() => void act.run(step)} />
            )}
          </li>
        ))}
      </ul>
      {act.error === undefined ? null : <Failure error={act.error} compact />}
    </>
  )
}

/** The others only lead to the machine. */
const CAN_BE_TAKEN: ReadonlySet<EarnStep['step']> = new Set(['layout', 'swap', 'price', 'dead_stock'])

function describe(step: EarnStep, currency: string): string {
  const t = textsOf(EARN).steps
  const title = step.item?.title ?? ''
  const { change = 0 } = step
  switch (step.step) {
    case 'layout':
      return t.layout(
        (step.lanes ?? []).map(({ lane, proposed, now }) => t.lane(lane, proposed.title, now.title)).join(', '),
      )
    case 'swap':
      return step.price === undefined
        ? t.swap(step.in?.title ?? '', title)
        : t.newProduct(step.in?.title ?? '', money(step.price, currency), title)
    case 'price':
      return t.price(title, `${change < 0 ? '−' : '+'}${money(Math.abs(change), currency)}`, step.machines ?? 0)
    case 'fewer_visits':
      return t.fewer_visits(step.visit_every_days ?? 0)
    case 'dead_stock':
      return t.dead_stock(title, step.units ?? 0)
    case 'move':
      return t.move(title, step.units ?? 0, step.to?.location_name ?? '')
    case 'less_stock':
    case 'renegotiate':
    case 'remove':
      return t[step.step]
  }
}

function StepButton({
  step,
  busy,
  run,
}: {
  readonly step: EarnStep
  readonly busy: boolean
  readonly run: () => void
}) {
  const t = textsOf(EARN).act
  const button = { small: true, kind: 'primary', disabled: busy, onClick: run } as const
  switch (step.step) {
    case 'layout':
      return (
        <Button needs="acceptLayout" {...button}>
          {t.layout}
        </Button>
      )
    case 'swap':
      return (
        <Button needs="acceptSwap" {...button}>
          {t.swap}
        </Button>
      )
    case 'price':
      return (
        <Button needs="startExperiment" {...button}>
          {t.price}
        </Button>
      )
    case 'dead_stock':
      return (
        <Button needs="setPhaseOut" {...button}>
          {t.dead_stock}
        </Button>
      )
    case 'move':
    case 'fewer_visits':
    case 'less_stock':
    case 'renegotiate':
    case 'remove':
      return step.location === undefined ? null : (
        <a class="button small" href={href.machine(step.location)}>
          <span>{t.open}</span>
        </a>
      )
  }
}

async function take({
  step,
  location = '',
  slot_id: slotId = '',
  item,
  in: better,
  price,
  change = 0,
  lanes = [],
}: EarnStep) {
  if (step === 'layout')
    await client.acceptLayout({
      body: {
        location,
        lanes: lanes.map(({ lane, proposed }) => ({ lane, item: { id: proposed.id } })),
        confirm: true,
      },
    })
  if (step === 'swap' && better) {
    const { swap } = await client.acceptSwap({
      body: { slot_id: slotId, item: { id: better.id }, confirm: true, price },
    })
    if (swap.status === 'pending') return 'asked'
  }
  if (step === 'price' && item) await client.startExperiment({ body: { item: { id: item.id }, change, confirm: true } })
  if (step === 'dead_stock' && item)
    await client.setPhaseOut({ params: { sku_id: item.id }, body: { phase_out: true, location } })
  return undefined
}
