/** The first steps of a live service. Until a machine was read, Today shows these and what is open. */
import type { Overview, SetupStep } from '../../../contract/shapes/overview.ts'
import { texts } from '../../lib/text/i18n.ts'
import { hasStoreroom } from '../../lib/service/me.ts'
import { useOverview, usePlanSummary } from '../../lib/service/queries.ts'
import { Icon } from '../../ui/icon.tsx'
import { Section } from '../../ui/section.tsx'
import { SyncButton, SyncOutcome, useSync } from '../machines/sync.tsx'

const isOpen = ({ done }: SetupStep): boolean => !done

/** A live service that never read a machine. */
export const isFirstRun = ({ environment, setup }: Overview): boolean =>
  environment === 'live' && setup.some((one) => one.step === 'sync' && isOpen(one))

/** Steps of a simulated route are nobody's to do. */
export const hasOpenSteps = ({ environment, setup, destination }: Overview): boolean =>
  environment === 'live' && setup.some((one) => isOpen(one) && !(one.step === 'destination' && destination))

type Step = SetupStep['step'] | 'selections' | 'counts'

/** Where each step is done. */
const PAGES: Readonly<Partial<Record<Step, string>>> = {
  connection: '/connections',
  rules: '/guardrails',
  owner: '/people',
  machines: '/setup/machines',
  selections: '/setup/selections',
  counts: '/setup/counts',
  destination: '/settings',
}

/** In the order in which a person goes. */
const ORDER: readonly Step[] = [
  'owner',
  'destination',
  'connection',
  'machines',
  'sync',
  'selections',
  'counts',
  'rules',
]

export function SetupChecklist({ overview }: { readonly overview: Overview }) {
  const t = texts().today.setup
  const plan = usePlanSummary()
  const loaded = [useOverview(), plan]
  const sync = useSync(() => void Promise.all(loaded.map((one) => one.reload())))
  if (!hasOpenSteps(overview)) return null
  const [slots, unknown] = [plan.data?.slots ?? 0, plan.data?.unknown.slots ?? 0]
  const isDone = (step: Step): boolean => {
    if (step === 'selections') return slots + unknown > 0 && overview.unlinked_count === 0
    if (step === 'counts') return slots > 0 && unknown === 0
    // An address that was typed with the first order is remembered.
    if (step === 'destination' && overview.destination) return true
    return overview.setup.some((one) => one.step === step && one.done)
  }
  const setup = ORDER.map((step) => ({ step, done: isDone(step) }))
  return (
    <Section title={t.title} note={t.lead(setup.filter(({ done }) => done).length, setup.length)} class="setup">
      <ol class="setup-steps">
        {setup.map(({ step, done }) => {
          const [title, how] = t.steps[step]
          const page = PAGES[step]
          return (
            <li key={step} class={done ? 'line done' : 'line'}>
              <span class="setup-mark">
                {done ? <Icon name="check" size={16} /> : null}
                <span class="hidden">{done ? t.done : t.open}</span>
              </span>
              <span>
                {page && !done ? <a href={page}>{title}</a> : <span class="strong">{title}</span>}
                {done ? null : <span class="faint setup-how">{how}</span>}
              </span>
              {step === 'sync' && !done && isDone('machines') ? <SyncButton sync={sync} /> : null}
            </li>
          )
        })}
        {hasStoreroom() && isDone('connection') ? (
          <li class="line">
            <span class="setup-mark" />
            <span>
              <a href="/storeroom?count=now">{t.storeroom[0]}</a>
              <span class="faint setup-how">{t.storeroom[1]}</span>
            </span>
          </li>
        ) : null}
      </ol>
      <SyncOutcome sync={sync} />
    </Section>
  )
}
