/** The frame around every page: navigation, banners and the current page. */
import type { ComponentType } from 'preact'
import { useEffect, useErrorBoundary, useMemo, useState } from 'preact/hooks'
import { CODES } from '../texts/index.ts'
import { checkSession, reachable, session, sessionNumber } from './lib/service/api.ts'
import { textsOf, texts } from './lib/text/i18n.ts'
import { clearLeftovers } from './features/session/leave.ts'
import { leaveDialog } from './features/session/leaving.ts'
import { startLive, stopLive } from './lib/service/live.ts'
import { isUnknown } from './lib/service/identity.ts'
import { may, me } from './lib/service/me.ts'
import { PAGE_NEEDS } from './lib/routes.ts'
import { clearResources } from './lib/service/resource.ts'
import { type PageName, arrivedByLink, navigate, pageId, pageName, pagePath, route } from './lib/router.ts'
import { forgetNames, useGuardrails, usePending } from './lib/service/queries.ts'
import { Navigation } from './navigation.tsx'
import { NotAllowed, NotFound } from './features/session/no-page.tsx'
import { SignIn } from './features/session/sign-in.tsx'
import { Today } from './features/today/today.tsx'
import { Button } from './ui/button.tsx'
import { Icon } from './ui/icon.tsx'
import { Notice } from './ui/notice.tsx'
import { Skeleton } from './ui/loaded.tsx'
import { Toasts } from './ui/toast.tsx'

type Page = ComponentType<{ readonly id: string }>

/** Today is in the first bundle; the other pages are loaded when they are opened. */
const LAZY_PAGES: Readonly<Partial<Record<PageName, () => Promise<Page>>>> = {
  approvals: async () => (await import('./features/approvals/approvals.tsx')).Approvals,
  purchase: async () => (await import('./features/purchases/purchase.tsx')).Purchase,
  basket: async () => (await import('./features/purchases/basket.tsx')).Basket,
  machines: async () => (await import('./features/machines/machines.tsx')).Machines,
  machine: async () => (await import('./features/machines/machine.tsx')).Machine,
  setupMachines: async () => (await import('./features/setup/setup-machines.tsx')).SetupMachines,
  setupSelections: async () => (await import('./features/setup/setup-selections.tsx')).SetupSelections,
  setupCounts: async () => (await import('./features/setup/setup-counts.tsx')).SetupCounts,
  plan: async () => (await import('./features/plan/plan.tsx')).Plan,
  prices: async () => (await import('./features/prices/prices.tsx')).Prices,
  links: async () => (await import('./features/catalog/links.tsx')).Links,
  newRun: async () => (await import('./features/runs/new-run.tsx')).NewRun,
  runs: async () => (await import('./features/runs/runs.tsx')).Runs,
  run: async () => (await import('./features/runs/run.tsx')).Run,
  storeroom: async () => (await import('./features/storeroom/storeroom.tsx')).Storeroom,
  catalog: async () => (await import('./features/catalog/catalog.tsx')).Catalog,
  sku: async () => (await import('./features/catalog/sku.tsx')).Sku,
  orders: async () => (await import('./features/purchases/orders.tsx')).Orders,
  order: async () => (await import('./features/purchases/order.tsx')).Order,
  profit: async () => (await import('./features/profit/profit.tsx')).ProfitPage,
  cash: async () => (await import('./features/profit/cash.tsx')).Cash,
  earn: async () => (await import('./features/profit/earn.tsx')).Earn,
  swaps: async () => (await import('./features/plan/swaps.tsx')).Swaps,
  forecasts: async () => (await import('./features/profit/forecasts.tsx')).Forecasts,
  connections: async () => (await import('./features/connections/connections.tsx')).Connections,
  guardrails: async () => (await import('./features/guardrails/guardrails.tsx')).Guardrails,
  settings: async () => (await import('./features/settings/settings.tsx')).SettingsPage,
  activity: async () => (await import('./features/activity/activity.tsx')).Activity,
  shift: async () => (await import('./features/activity/shift.tsx')).ShiftPage,
  people: async () => (await import('./features/people/people.tsx')).People,
  visits: async () => (await import('./features/visits/visits.tsx')).Visits,
  visit: async () => (await import('./features/visits/visit.tsx')).Visit,
  pickList: async () => (await import('./features/runs/pick-list.tsx')).PickListPage,
}

const loadedPages = new Map<PageName, Page>([['today', Today]])

function usePage(name: PageName): Page | 'failed' | undefined {
  const [, redraw] = useState(0)
  const [failed, setFailed] = useState<PageName>()
  const page = loadedPages.get(name)
  // Started during render, to load while the frame is drawn.
  useMemo(() => {
    const load = async () => {
      const loaded = await LAZY_PAGES[name]?.()
      if (loaded) loadedPages.set(name, loaded)
      redraw((n) => n + 1)
    }
    if (!page) load().catch(() => setFailed(name))
  }, [name])
  return page ?? (failed === name ? 'failed' : undefined)
}

function CurrentPage() {
  const name = pageName.value
  const id = pageId.value
  const shown = name === 'signin' ? 'today' : name
  const page = usePage(shown ?? 'today')
  useHeadingFocus(typeof page === 'function')
  const [failure, forget] = useErrorBoundary((error) => console.error(error))
  const t = texts()
  useEffect(() => {
    if (failure !== undefined) forget()
  }, [pagePath.value])
  if (shown === undefined) return <NotFound />
  if (!may(PAGE_NEEDS[shown])) return <NotAllowed page={shown} />
  if (page === 'failed' || failure !== undefined)
    return (
      <Notice
        tone="bad"
        urgent
        title={t.failure.title}
        action={<Button onClick={() => location.reload()}>{t.failure.reload}</Button>}
      >
        {page === 'failed' ? t.failure.chunk : t.failure.unexpected}
      </Notice>
    )
  if (page === undefined) return <Skeleton lines={6} height={28} />
  const Shown = page
  return <Shown key={`${shown} ${id}`} id={id} />
}

/** Scrolls to the top and focuses the heading of a newly opened page. */
function useHeadingFocus(ready: boolean): void {
  const path = pagePath.value
  useEffect(() => {
    if (!ready || !arrivedByLink()) return
    scrollTo(0, 0)
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
  }, [path, ready])
}

/** Says on every page whether real money is spent. */
function EnvironmentBar() {
  const environment = me.value?.environment
  if (environment === undefined) return null
  const t = texts().environment[environment]
  return (
    <div class={`environment one-line ${environment === 'live' ? 'info' : 'warn'}`} role="note">
      <strong>{t.name}</strong> <span>{t.text}</span>
    </div>
  )
}

function Banners() {
  const t = texts()
  const stop = useGuardrails().data?.emergency_stop
  return (
    <section class="banners" aria-label={t.banner.label}>
      <EnvironmentBar />
      {reachable.value ? null : (
        <div class="line banner warn" role="status">
          <Icon name="warning" size={16} /> {t.banner.offline}
        </div>
      )}
      {stop?.engaged ? (
        <div class="line banner bad" role="status">
          <Icon name="stop" size={16} />
          <span>{stop.reason ? t.banner.stoppedBecause(stop.reason) : t.banner.stopped}</span>
          <a href="/guardrails">{t.banner.more}</a>
        </div>
      ) : null}
    </section>
  )
}

/** A page of the service, on this host. */
const CONSENT = '/oauth/authorize?'

function Frame() {
  const mayListen = may('listEvents')
  useEffect(() => {
    if (mayListen) startLive()
    return stopLive
  }, [sessionNumber.value, mayListen])
  useEffect(() => {
    // Today is about figures that a driver does not read; visits are.
    if (!mayListen && pageName.value === 'today') navigate('/visits', { replace: true })
  }, [mayListen, pageName.value])
  useEffect(() => {
    if (pageName.value !== 'signin') return
    const then = route.value.query.get('then')
    // Back to where a program asks for consent; nobody else may give it.
    if (then?.startsWith(CONSENT) && me.value?.role === 'owner') location.replace(then)
    else navigate('/', { replace: true })
  }, [pageName.value])
  const t = texts()
  const LeaveDialog = leaveDialog.value
  const name = pageName.value
  const waiting = usePending().data?.length ?? 0
  useEffect(() => {
    const title = name === undefined ? t.notFound.title : t.pages[name]
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${pageId.value ? `${pageId.value} · ` : ''}${title} · vendops`
  }, [name, pageId.value, t, waiting])
  return (
    <>
      <a class="skip" href="#main">
        {t.nav.skip}
      </a>
      <Navigation />
      <div class="side-by-side">
        <Banners />
        <main id="main" tabIndex={-1}>
          <CurrentPage />
        </main>
      </div>
      <Toasts />
      {LeaveDialog ? <LeaveDialog /> : null}
    </>
  )
}

/** Shown while the service cannot be asked whether the operator is signed in. */
const UnreachableNotice = () => (
  <main class="sign-in" id="main">
    <Notice
      tone="warn"
      urgent
      title={textsOf(CODES).unreachable}
      action={<Button onClick={() => void checkSession()}>{texts().failure.retry}</Button>}
    >
      {texts().banner.offline}
    </Notice>
  </main>
)

export function App() {
  const signedOut = session.value === 'out'
  useEffect(() => {
    if (signedOut) {
      stopLive()
      clearResources()
      forgetNames()
      void clearLeftovers().catch(() => {})
    }
  }, [signedOut])
  const unknown = session.value === 'unknown'
  useEffect(() => {
    if (unknown) void checkSession()
  }, [unknown])
  if (unknown) return reachable.value ? <p class="boot">vendops</p> : <UnreachableNotice />
  if (signedOut) return <SignIn />
  // The pages depend on the role: without it they would ask for what it may not read.
  return me.value || isUnknown.value ? <Frame key={sessionNumber.value} /> : <p class="boot">vendops</p>
}
