/** Products that would earn more in a slot, of one machine or of the route, with the buttons to ask the owner and to end it. */
import type { Swap, SwapEndRequest, SwapList, SwapTrial } from '../../../contract/shapes/planning/swaps.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { money } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { useResource } from '../../lib/service/resource.ts'
import { href } from '../../lib/router.ts'
import { Badge } from '../../ui/value.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure, Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'

/** Swaps that somebody is working on come before the proposals, and those that ended last. */
const ORDER: readonly Swap['status'][] = ['approved', 'pending', 'proposed', 'done', 'rejected', 'canceled']
const byState = (a: Swap, b: Swap): number => ORDER.indexOf(a.status) - ORDER.indexOf(b.status)

export function SwapsSection({ location, title }: { readonly location?: string; readonly title?: string }) {
  const t = texts().operator.swaps
  const query = location === undefined ? {} : { location }
  const found = useResource(`swaps ${location ?? ''}`, (signal) => client.getSwaps({ query, signal }), [
    'sync',
    'approval',
    'location',
    'replenishment',
  ])
  const accept = useAction(async (swap: Swap, starts: boolean) => {
    const body = { slot_id: swap.slot_id, item: { id: swap.in.item.id }, price: swap.in.price }
    const answer = await client.acceptSwap({ body: starts ? { ...body, confirm: true } : body })
    toast(answer.swap.status === 'pending' ? t.accepted : t.started)
    await found.reload()
  })
  const end = useAction(async (swap: Pick<Swap, 'slot_id'>, status: SwapEndRequest['status']) => {
    await client.endSwap({ params: { slot_id: swap.slot_id }, body: { status } })
    toast(t.ended)
    await found.reload()
  })
  return (
    <Section
      title={title ?? (location === undefined ? words().allMachines : texts().pages.swaps)}
      note={location === undefined ? '' : t.note}
    >
      <Loaded resource={found} lines={2}>
        {({ swaps, trials, record, currency }) => (
          <>
            {swaps.length === 0 ? <p class="note">{t.none}</p> : null}
            <ul class="rows">
              {swaps.toSorted(byState).map((swap) => (
                <li key={`${swap.slot_id} ${swap.in.item.id}`}>
                  <div>
                    <a href={href.sku(swap.in.item.id)}>{swap.in.item.title}</a> {t.insteadOf}{' '}
                    <a href={href.sku(swap.out.item.id, swap.location)}>{swap.out.item.title}</a>
                    {location === undefined ? (
                      <>
                        {' · '}
                        <a href={href.machine(swap.location)}>{swap.location_name ?? swap.location}</a>
                      </>
                    ) : null}
                    {swap.in.price === undefined ? null : <p>{t.newProduct(money(swap.in.price, currency))}</p>}
                    <p class="faint">
                      {t.gain(money(swap.weekly_gain, currency), swap.gain_error && money(swap.gain_error, currency))}
                      {swap.evidence
                        ? ` · ${t.evidence(swap.evidence.units, swap.evidence.machines, swap.evidence.category)}`
                        : ''}
                    </p>
                  </div>
                  {swap.status === 'proposed' ? (
                    <div class="row actions">
                      <Button
                        needs="acceptSwap"
                        small
                        kind="primary"
                        disabled={accept.busy}
                        onClick={() => void accept.run(swap, true)}
                      >
                        {t.start}
                      </Button>
                      <Button
                        needs="acceptSwap"
                        small
                        disabled={accept.busy}
                        onClick={() => void accept.run(swap, false)}
                      >
                        {t.accept}
                      </Button>
                    </div>
                  ) : (
                    <div class="row actions">
                      <Badge tone={swap.status === 'pending' ? 'warn' : 'ok'}>{t.states[swap.status]}</Badge>
                      {swap.status === 'approved' ? (
                        <Button needs="endSwap" small disabled={end.busy} onClick={() => void end.run(swap, 'done')}>
                          {t.made}
                        </Button>
                      ) : null}
                      {swap.status === 'approved' || swap.status === 'pending' ? (
                        <Button
                          needs="endSwap"
                          small
                          disabled={end.busy}
                          onClick={() => void end.run(swap, 'canceled')}
                        >
                          {t.cancel}
                        </Button>
                      ) : null}
                    </div>
                  )}
                </li>
              ))}
            </ul>
            {trials.length === 0 ? null : (
              <SwapTrials
                trials={trials}
                record={record}
                currency={currency}
                busy={end.busy}
                end={(trial, status) => void end.run(trial, status)}
              />
            )}
            {accept.error === undefined ? null : <Failure error={accept.error} compact />}
            {end.error === undefined ? null : <Failure error={end.error} compact />}
          </>
        )}
      </Loaded>
    </Section>
  )
}

interface SwapTrialsProps extends Pick<SwapList, 'trials' | 'currency'> {
  readonly record: SwapList['record'] | undefined
  readonly busy: boolean
  readonly end: (trial: SwapTrial, status: 'kept' | 'taken_back') => void
}

const TONES = { kept: 'ok', taken_back: 'calm', ended: 'calm' } as const

/** Products on trial, and what earlier trials came to. */
function SwapTrials({ trials, record, currency, busy, end }: SwapTrialsProps) {
  const t = texts().operator.swaps.trials
  const gain = ({ gain: amount, error }: SwapTrial['expected']) =>
    t.amount(`${amount < 0 ? '−' : '+'}${money(Math.abs(amount), currency)}`, money(error, currency))
  return (
    <>
      <h3>{t.title}</h3>
      {record ? (
        <p class="note">
          {t.record(record.judged, record.kept, money(record.expected, currency), money(record.measured, currency))}
        </p>
      ) : null}
      <ul class="rows">
        {trials.map((trial) => (
          <li key={trial.id}>
            <div>
              {trial.in.title} {texts().operator.swaps.insteadOf} {trial.out.title}
              {' · '}
              <a href={href.machine(trial.location)}>{trial.location_name ?? trial.location}</a>
              <p class="faint">
                {t.expected(gain(trial.expected))}
                {trial.measured ? ` · ${t.measured(gain(trial.measured))}` : ''}
              </p>
            </div>
            <div class="row actions">
              <Badge tone={TONES[trial.status as keyof typeof TONES] ?? 'warn'}>{t.states[trial.status]}</Badge>
              {trial.status === 'running' ? (
                <>
                  <Button needs="endSwap" small disabled={busy} onClick={() => end(trial, 'kept')}>
                    {t.keep}
                  </Button>
                  <Button needs="endSwap" small disabled={busy} onClick={() => end(trial, 'taken_back')}>
                    {t.takeBack}
                  </Button>
                </>
              ) : null}
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}
