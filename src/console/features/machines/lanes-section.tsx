/** Lanes of a machine that would earn more with another of its products, with the buttons to accept and to end a change. */
import type { Layout } from '../../../contract/shapes/planning/layout.ts'
import { useAction } from '../../lib/service/action.ts'
import { client } from '../../lib/service/api.ts'
import { money } from '../../lib/text/format.ts'
import { texts } from '../../lib/text/i18n.ts'
import { useResource } from '../../lib/service/resource.ts'
import { href } from '../../lib/router.ts'
import { slotPlace } from './slot-place.ts'
import { Badge } from '../../ui/value.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure, Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.tsx'

type Lane = Layout['lanes'][number]

export function LanesSection({ location }: { readonly location: string }) {
  const t = texts().operator.lanes
  const { made, ended, gain, insteadOf, trials } = texts().operator.swaps
  const found = useResource(`lanes ${location}`, (signal) => client.getLayout({ query: { location }, signal }), [
    'sync',
    'location',
    'replenishment',
  ])
  const change = useAction(async ({ lane, proposed }: Lane, status: 'accepted' | 'done' | 'canceled') => {
    if (status === 'accepted')
      await client.acceptLayout({ body: { location, lanes: [{ lane, item: { id: proposed.id } }], confirm: true } })
    else await client.endLaneChange({ params: { id: location }, body: { lane, status } })
    toast(status === 'accepted' ? t.accepted : ended)
    await found.reload()
  })
  return (
    <Section title={t.title} note={t.note}>
      <Loaded resource={found} lines={2}>
        {({ lanes, currency, visit_days: days, result }) => (
          <>
            {lanes.length === 0 ? <p class="note">{t.none}</p> : null}
            <ul class="rows">
              {lanes.map((each) => (
                <li key={each.lane}>
                  <div>
                    {t.lane(slotPlace(each.lane, each))} ·{' '}
                    <a href={href.sku(each.proposed.id, location)}>{each.proposed.title}</a> {insteadOf}{' '}
                    <a href={href.sku(each.now.id, location)}>{each.now.title}</a>
                    <p class="faint">{gain(money(each.weekly_gain, currency), money(each.gain_error, currency))}</p>
                  </div>
                  {each.status === 'proposed' ? (
                    <Button
                      needs="acceptLayout"
                      small
                      kind="primary"
                      disabled={change.busy}
                      onClick={() => void change.run(each, 'accepted')}
                    >
                      {t.accept}
                    </Button>
                  ) : (
                    <div class="row actions">
                      <Badge tone="ok">{t.states[each.status]}</Badge>
                      {each.status === 'accepted' ? (
                        <>
                          <Button
                            needs="endLaneChange"
                            small
                            disabled={change.busy}
                            onClick={() => void change.run(each, 'done')}
                          >
                            {made}
                          </Button>
                          <Button
                            needs="endLaneChange"
                            small
                            disabled={change.busy}
                            onClick={() => void change.run(each, 'canceled')}
                          >
                            {t.cancel}
                          </Button>
                        </>
                      ) : null}
                    </div>
                  )}
                </li>
              ))}
            </ul>
            {result ? (
              <p class="note">
                {t.result(
                  result.lanes,
                  result.days,
                  trials.amount(money(result.gain, currency), money(result.error, currency)),
                  money(result.expected, currency),
                )}
              </p>
            ) : null}
            {days && days.after !== days.now ? <p class="note">{t.days(days.after, days.now)}</p> : null}
            {change.error === undefined ? null : <Failure error={change.error} compact />}
          </>
        )}
      </Loaded>
    </Section>
  )
}
