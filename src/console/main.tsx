import './styles/index.css'
import { effect } from '@preact/signals'
import { render } from 'preact'
import { App } from './app.tsx'
import { session } from './lib/service/api.ts'
import { may, startMe } from './lib/service/me.ts'
import { language } from './lib/text/i18n.ts'
import { route, startRouter } from './lib/router.ts'
import { prefetchToday } from './lib/service/queries.ts'
import { registerShell } from './lib/shell.ts'

/** How long the first render waits for its data: then the first frame shows a figure, and a slow phone draws the page once. */
const FIRST_ANSWER_MS = 300

/** Visits that were entered without a network are sent from whatever page is open, once it has its own data. */
const LATER_MS = 1500

effect(() => {
  document.documentElement.lang = language.value === 'zh' ? 'zh-CN' : 'en'
})
startRouter()

async function start(): Promise<void> {
  startMe()
  if (session.value === 'in' && route.value.page === 'today' && may('listEvents'))
    await Promise.race([prefetchToday(), new Promise((due) => setTimeout(due, FIRST_ANSWER_MS))])
  const root = document.getElementById('app')
  root?.replaceChildren()
  if (root) render(<App />, root)
  registerShell()
  setTimeout(() => void import('./features/visits/device/send.ts').then(({ startSending }) => startSending()), LATER_MS)
}
// After this file has run: a request from within has an attached debugger, such as a benchmark, parse all of it once more.
queueMicrotask(() => void start())
