/** The main navigation: a side bar on a wide screen, a bottom bar on a phone. */
import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { LANGUAGES, language, setLanguage, texts } from './lib/text/i18n.ts'
import { leave } from './features/session/leave.ts'
import { reachable } from './lib/service/api.ts'
import { feed, stream } from './lib/service/live.ts'
import { isToken, may, me } from './lib/service/me.ts'
import { isNarrow } from './lib/viewport.ts'
import { pageName, pagePath } from './lib/router.ts'
import { useGuardrails, usePending } from './lib/service/queries.ts'
import { personName } from './lib/text/value-text.ts'
import { setTheme, theme, THEMES } from './lib/theme.ts'
import { Button } from './ui/button.tsx'
import { Dialog } from './ui/form/dialog.tsx'
import { Select } from './ui/form/field.tsx'
import { Icon } from './ui/icon.tsx'
import type { PasskeysDialog } from './features/session/passkeys-dialog.tsx'
import type { PullStopDialog } from './features/guardrails/stop-dialog.tsx'
import { SearchButton } from './features/search/search-button.tsx'
import { type Entry, GROUPS, offeredEntries } from './features/search/navigation-entries.ts'

const BOTTOM_MAX = 4

function NavLink({ entry, waiting }: { readonly entry: Entry; readonly waiting: number }) {
  const t = texts()
  const page = pageName.value
  const here = page !== undefined && (page === entry.name || (entry.also?.includes(page) ?? false))
  const badge = entry.name === 'approvals' && waiting > 0 ? waiting : 0
  return (
    <a class="line" href={entry.path} aria-current={here ? 'page' : undefined}>
      <Icon name={entry.name} />
      <span>{t.pages[entry.name]}</span>
      {badge > 0 ? (
        <span class="nav-count">
          {badge}
          <span class="hidden"> {t.nav.pending}</span>
        </span>
      ) : null}
    </a>
  )
}

const DocsLink = () => (
  <a class="line" href="/docs">
    <Icon name="docs" />
    <span>{texts().nav.docs}</span>
  </a>
)

/** Whether the live connection is up. */
const LiveStatus = () => {
  const t = texts().live
  if (!may('listEvents')) return null
  const live = stream.value === 'live' && reachable.value
  // Before the first connection there is nothing to reconnect to, so nothing is shown.
  const starting = stream.value === 'connecting' && feed.value.length === 0
  return (
    <span class={`live ${live ? 'on' : 'off'}`} title={live ? t.onLong : t.offLong}>
      <i aria-hidden="true" />
      {live ? t.on : starting ? '' : t.off}
    </span>
  )
}

/** Who is signed in; empty until the service has said so. */
function SignedInAs() {
  const { name = '', role } = me.value ?? {}
  const shown = name === '' ? '' : personName(name)
  return (
    <span class="line signed-in">
      <span class="avatar" aria-hidden="true">
        {shown
          .replace(/^the /i, '')
          .match(/\p{L}|\p{N}/u)?.[0]
          .toUpperCase()}
      </span>
      <span class="stack">
        <span class="strong">{shown || ' '}</span>
        {role === undefined || name === role ? null : <span class="faint">{texts().roles[role]}</span>}
      </span>
    </span>
  )
}

/** On every page: one press here, one in the dialog. While the stop is on, the banner says so. */
function StopButton() {
  const guardrails = useGuardrails()
  const [Pull, setPull] = useState<typeof PullStopDialog>()
  if (!may('pullEmergencyStop') || guardrails.data?.emergency_stop.engaged) return null
  const open = async () => {
    const { PullStopDialog: dialog } = await import('./features/guardrails/stop-dialog.tsx')
    setPull(() => dialog)
  }
  return (
    <>
      <button
        type="button"
        class="line stop-button"
        aria-haspopup="dialog"
        aria-label={texts().guardrails.stop}
        onClick={() => void open()}
      >
        <Icon name="stop" size={16} />
        <span>{texts().guardrails.stopShort}</span>
      </button>
      {Pull ? <Pull onClose={() => setPull(undefined)} onPulled={() => void guardrails.reload()} /> : null}
    </>
  )
}

/** Beside both navigations, because that of a phone closes when it opens. */
const passkeysDialog = signal<typeof PasskeysDialog | undefined>(undefined)

/** Of the person; the operator token has none. */
function PasskeysButton() {
  if (!may('addPasskey') || isToken()) return null
  const open = async () => {
    passkeysDialog.value = (await import('./features/session/passkeys-dialog.tsx')).PasskeysDialog
  }
  return (
    <Button kind="quiet" small icon="people" aria-haspopup="dialog" onClick={() => void open()}>
      {texts().passkeys.title}
    </Button>
  )
}

function Preferences() {
  const t = texts()
  return (
    <div class="preferences">
      <Select
        label={t.nav.language}
        hideLabel
        value={language.value}
        onChange={(value) => setLanguage(value as typeof language.value)}
        options={LANGUAGES.map((name) => [name, name === 'zh' ? '中文' : 'English'])}
      />
      <Select
        label={t.nav.theme}
        hideLabel
        value={theme.value}
        onChange={(value) => setTheme(value as typeof theme.value)}
        options={THEMES.map((name) => [name, t.nav.themes[name]])}
      />
      <PasskeysButton />
      <Button kind="quiet" small icon="out" onClick={() => void leave()}>
        {t.nav.signOut}
      </Button>
      <Button kind="quiet" small icon="out" onClick={() => void leave(true)}>
        {t.nav.signOutEverywhere}
      </Button>
    </div>
  )
}

/** Language, appearance and signing out, behind the name of who is signed in. */
function Account() {
  return (
    <>
      <button type="button" class="account" popovertarget="account">
        <span class="hidden">{texts().nav.account}</span>
        <SignedInAs />
      </button>
      <div id="account" class="card account-menu" popover="auto">
        <Preferences />
      </div>
    </>
  )
}

/** The pages of each group under its name. */
function GroupedEntries({ entries, waiting }: { readonly entries: readonly Entry[]; readonly waiting: number }) {
  const t = texts().nav
  return (
    <>
      {GROUPS.map((group) => {
        const inside = entries.filter((entry) => entry.group === group)
        return inside.length === 0 ? null : (
          <div key={group} class="stack" role="group" aria-label={t.groups[group]}>
            <span class="nav-group" aria-hidden="true">
              {t.groups[group]}
            </span>
            {inside.map((entry) => (
              <NavLink key={entry.name} entry={entry} waiting={waiting} />
            ))}
            {group === 'setup' ? <DocsLink /> : null}
          </div>
        )
      })}
    </>
  )
}

const Brand = () => (
  <a class="brand" href="/">
    <Logo /> vendops
  </a>
)

/** Only one of the two is rendered, so that a phone does not spend its first frame on a hidden side bar. */
export function Navigation() {
  const Passkeys = passkeysDialog.value
  // Gone with the session: who signs in next does not find it open.
  useEffect(() => () => void (passkeysDialog.value = undefined), [])
  return (
    <>
      {isNarrow.value ? <BottomNavigation /> : <SideNavigation />}
      {Passkeys ? <Passkeys onClose={() => (passkeysDialog.value = undefined)} /> : null}
    </>
  )
}

function SideNavigation() {
  const t = texts()
  const waiting = usePending().data?.length ?? 0
  return (
    <header class="side">
      <Brand />
      <SearchButton />
      <nav class="stack" aria-label={t.nav.label}>
        <GroupedEntries entries={offeredEntries()} waiting={waiting} />
      </nav>
      <div class="stack side-foot">
        <div class="line">
          <LiveStatus />
          <StopButton />
        </div>
        <Account />
      </div>
    </header>
  )
}

function BottomNavigation() {
  const t = texts()
  const waiting = usePending().data?.length ?? 0
  const [open, setOpen] = useState(false)
  useEffect(() => setOpen(false), [pagePath.value, passkeysDialog.value])
  return (
    <>
      <header class="top">
        <Brand />
        <SearchButton />
        <LiveStatus />
        <StopButton />
      </header>
      <nav class="bottom-nav" aria-label={t.nav.label}>
        {offeredEntries()
          .slice(0, BOTTOM_MAX)
          .map((entry) => (
            <NavLink key={entry.name} entry={entry} waiting={waiting} />
          ))}
        <button type="button" class="line" aria-haspopup="dialog" onClick={() => setOpen(true)}>
          <Icon name="more" />
          <span>{t.nav.more}</span>
        </button>
      </nav>
      {open ? (
        <Dialog title={t.nav.more} drawer onClose={() => setOpen(false)}>
          <nav class="stack sheet" aria-label={t.nav.more}>
            <GroupedEntries entries={offeredEntries().slice(BOTTOM_MAX)} waiting={waiting} />
          </nav>
          <SignedInAs />
          <Preferences />
        </Dialog>
      ) : null}
    </>
  )
}

export const Logo = () => (
  <svg class="mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
    <rect width="32" height="32" rx="8" />
    <path d="M8 8h4v6H8zM14 8h4v6h-4zM8 17h4v6H8zM20 17h4v6h-4z" />
    <path class="dim" d="M20 8h4v6h-4zM14 17h4v6h-4z" />
  </svg>
)
