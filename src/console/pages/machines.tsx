/** The roster: how each machine does, and when it was last heard of. */
import { useState } from 'preact/hooks'
import { nowMs } from '../lib/format.ts'
import { healthByLocation, presence } from '../lib/health.ts'
import type { Presence } from '../lib/health.ts'
import { w } from '../lib/i18n.ts'
import { href, query, setQuery } from '../lib/router.ts'
import { useLocations, usePlan } from '../lib/queries.ts'
import { Button } from '../ui/button.tsx'
import { ClearFilters } from '../ui/clear-filters.tsx'
import { Field } from '../ui/field.tsx'
import { MachineForm } from '../ui/machine-form.tsx'
import { Loaded } from '../ui/messages.tsx'
import { Badge, Bar, Empty, PageHeader, Skeleton, When } from '../ui/parts.tsx'
import type { Tone } from '../ui/parts.tsx'
import { SyncButton, SyncOutcome, useSync } from '../ui/sync.tsx'

export const PRESENCE_TONE: Readonly<Record<Presence, Tone>> = {
  online: 'ok',
  offline: 'bad',
  silent: 'bad',
  never: 'warn',
  unknown: 'warn',
}

export function Machines() {
  const words = w().machines
  const locations = useLocations()
  const plan = usePlan()
  const sync = useSync(() => void Promise.all([locations.reload(), plan.reload()]))
  const [adding, setAdding] = useState(false)
  const health = healthByLocation(plan.data?.plans ?? [])
  const search = query('q').toLowerCase()
  return (
    <>
      <PageHeader
        title={w().pages.machines}
        lead={words.lead}
        actions={
          <>
            <Button icon="plus" onClick={() => setAdding(true)}>
              {words.add}
            </Button>
            <SyncButton sync={sync} />
          </>
        }
      />
      <SyncOutcome sync={sync} />
      <div class="filters">
        <Field
          label={words.search}
          bare
          type="search"
          placeholder={words.search}
          value={query('q')}
          onInput={(q) => setQuery({ q })}
        />
      </div>
      <Loaded of={locations} wait={<Skeleton lines={8} height={44} />}>
        {(all) => {
          const list = all.filter(({ id, name, profile }) =>
            `${id} ${name} ${profile?.city ?? ''} ${profile?.address ?? ''}`.toLowerCase().includes(search),
          )
          if (list.length === 0)
            return (
              <Empty icon="machines" title={all.length === 0 ? words.none : words.noMatch}>
                {all.length === 0 ? (
                  <>
                    <p>{words.noneText}</p>
                    <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
                      {words.add}
                    </Button>
                  </>
                ) : (
                  <ClearFilters of={['q']} />
                )}
              </Empty>
            )
          return (
            <div class="table-box card flush">
              <table class="data machines">
                <thead>
                  <tr>
                    <th scope="col">{words.machine}</th>
                    <th scope="col">{words.state}</th>
                    <th scope="col">{words.stock}</th>
                    <th scope="col" class="number">
                      {words.toOrder}
                    </th>
                    <th scope="col">{words.seen}</th>
                  </tr>
                </thead>
                <tbody>
                  {list.map((location) => {
                    const here = presence(location, nowMs())
                    const { slots, empty, soon, units } = health(location.id)
                    return (
                      <tr key={location.id}>
                        <td>
                          <a href={href.machine(location.id)}>{location.name}</a>
                          <p class="faint">
                            {[location.profile?.city, location.profile?.spot ?? location.profile?.address]
                              .filter(Boolean)
                              .join(' · ') || location.id}
                          </p>
                        </td>
                        <td data-label={words.state}>
                          <Badge tone={PRESENCE_TONE[here]}>{w().presence[here]}</Badge>
                          {location.profile_complete === false ? <Badge tone="calm">{words.profileGap}</Badge> : null}
                        </td>
                        <td data-label={words.stock}>
                          {slots === 0 ? (
                            <span class="faint">–</span>
                          ) : (
                            <span class="stock-cell">
                              <Bar
                                share={1 - soon / slots}
                                tone={soon === 0 ? 'ok' : soon / slots > 0.25 ? 'bad' : 'warn'}
                              />
                              <span class="faint">{words.stockText(slots, soon, empty)}</span>
                            </span>
                          )}
                        </td>
                        <td class="number" data-label={words.toOrder}>
                          {units === 0 ? <span class="faint">–</span> : units}
                        </td>
                        <td data-label={words.seen}>
                          {location.last_synced_at ? (
                            <When at={location.last_synced_at} />
                          ) : (
                            <span class="faint">{words.never}</span>
                          )}
                        </td>
                      </tr>
                    )
                  })}
                </tbody>
              </table>
            </div>
          )
        }}
      </Loaded>
      {adding ? <MachineForm onClose={() => setAdding(false)} onSaved={() => void locations.reload()} /> : null}
    </>
  )
}
