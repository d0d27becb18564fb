/** The first steps of a live service. Until a machine was read, Today shows these and what is open. */
import type { Overview, SetupStep } from '../../contract/shapes/overview.ts'
import { texts } from '../lib/i18n.ts'
import { useLocations, useOverview, usePlan } from '../lib/queries.ts'
import { Icon } from './icon.tsx'
import { Section } from './section.tsx'
import { SyncButton, SyncOutcome, useSync } from './sync.tsx'

const isOpen = ({ done }: SetupStep): boolean => !done

/** A live service that never read a machine. */
export const isFirstRun = ({ environment, setup }: Overview): boolean =>
  environment === 'live' && setup.some((one) => one.step === 'sync' && isOpen(one))

/** Steps of a simulated route are nobody's to do. */
export const hasOpenSteps = ({ environment, setup }: Overview): boolean => environment === 'live' && setup.some(isOpen)

/** Where each step is done or shown; the others are done on the server. */
const PAGES: Readonly<Partial<Record<SetupStep['step'], string>>> = {
  connection: '/connections',
  rules: '/guardrails',
  owner: '/guardrails',
  machines: '/machines',
}

export function SetupChecklist({ overview }: { readonly overview: Overview }) {
  const t = texts().today.setup
  const loaded = [useOverview(), useLocations(), usePlan()]
  const sync = useSync(() => void Promise.all(loaded.map((one) => one.reload())))
  if (!hasOpenSteps(overview)) return null
  const { setup } = overview
  const isDone = (step: SetupStep['step']) => setup.some((one) => one.step === step && one.done)
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
      </ol>
      <SyncOutcome sync={sync} />
    </Section>
  )
}
