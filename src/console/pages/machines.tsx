/** The roster: status, stock and last update of every machine. */
import { useState } from 'preact/hooks'
import { nowMs } from '../lib/format.ts'
import { healthByLocation, presence } from '../lib/health.ts'
import type { Presence } from '../lib/health.ts'
import { texts } from '../lib/i18n.ts'
import { href, query, setQuery } from '../lib/router.ts'
import { useLocations, usePlan } from '../lib/queries.ts'
import { Button } from '../ui/button.tsx'
import { ClearFilters } from '../ui/clear-filters.tsx'
import { Field } from '../ui/field.tsx'
import { MachineForm } from '../ui/machine-form.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Badge } from '../ui/badge.tsx'
import { Bar } from '../ui/bar.tsx'
import { Empty } from '../ui/empty.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { RelativeTime } from '../ui/time.tsx'
import type { Tone } from '../lib/tone.ts'
import { SyncButton, SyncOutcome, useSync } from '../ui/sync.tsx'

export const PRESENCE_TONE: Readonly<Record<Presence, Tone>> = {
  online: 'ok',
  offline: 'bad',
  not_reporting: 'bad',
  never: 'warn',
  unknown: 'warn',
}

export function Machines() {
  const t = texts().machines
  const locations = useLocations()
  const plan = usePlan()
  const sync = useSync(() => void Promise.all([locations.reload(), plan.reload()]))
  const [adding, setAdding] = useState(false)
  const health = healthByLocation(plan.data?.plans ?? [])
  const search = query('q').toLowerCase()
  return (
    <>
      <PageHeader
        title={texts().pages.machines}
        lead={t.lead}
        actions={
          <>
            <Button icon="plus" onClick={() => setAdding(true)}>
              {t.add}
            </Button>
            <SyncButton sync={sync} />
          </>
        }
      />
      <SyncOutcome sync={sync} />
      <div class="filters">
        <Field
          label={t.search}
          hideLabel
          type="search"
          placeholder={t.search}
          value={query('q')}
          onInput={(q) => setQuery({ q })}
        />
      </div>
      <Loaded resource={locations} wait={<Skeleton lines={8} height={44} />}>
        {(all) => {
          const list = all.filter(({ id, name, profile }) =>
            `${id} ${name} ${profile?.city ?? ''} ${profile?.address ?? ''}`.toLowerCase().includes(search),
          )
          if (list.length === 0)
            return (
              <Empty icon="machines" title={all.length === 0 ? t.none : t.noMatch}>
                {all.length === 0 ? (
                  <>
                    <p>{t.noneText}</p>
                    <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
                      {t.add}
                    </Button>
                  </>
                ) : (
                  <ClearFilters names={['q']} />
                )}
              </Empty>
            )
          return (
            <div class="table-box card flush">
              <table class="data machines">
                <thead>
                  <tr>
                    <th scope="col">{t.machine}</th>
                    <th scope="col">{t.state}</th>
                    <th scope="col">{t.stock}</th>
                    <th scope="col" class="number">
                      {t.toOrder}
                    </th>
                    <th scope="col">{t.lastUpdate}</th>
                  </tr>
                </thead>
                <tbody>
                  {list.map((location) => {
                    const status = presence(location, nowMs())
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
                        <td data-label={t.state}>
                          <Badge tone={PRESENCE_TONE[status]}>{texts().presence[status]}</Badge>
                          {location.profile_complete === false ? (
                            <Badge tone="calm">{t.profileIncomplete}</Badge>
                          ) : null}
                        </td>
                        <td data-label={t.stock}>
                          {slots === 0 ? (
                            <span class="faint">–</span>
                          ) : (
                            <span class="stock-cell">
                              <Bar
                                share={1 - soon / slots}
                                tone={soon === 0 ? 'ok' : soon / slots > 0.25 ? 'bad' : 'warn'}
                              />
                              <span class="faint">{t.stockText(slots, soon, empty)}</span>
                            </span>
                          )}
                        </td>
                        <td class="number" data-label={t.toOrder}>
                          {units === 0 ? <span class="faint">–</span> : units}
                        </td>
                        <td data-label={t.lastUpdate}>
                          {location.last_synced_at ? (
                            <RelativeTime at={location.last_synced_at} />
                          ) : (
                            <span class="faint">{t.never}</span>
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
