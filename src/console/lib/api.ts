/** The one client of the console. Whether we are signed in and whether the service can be reached is seen here. */
import { effect, signal } from '@preact/signals'
import { createClient, VendopsError } from '../../client/index.ts'
import { learnClock } from './format.ts'
import { saveSetting, readSetting } from './storage.ts'

export { VendopsError } from '../../client/index.ts'

export type Session = 'unknown' | 'in' | 'out'

/** Script cannot see the cookie. Whoever signed in here before is taken to be signed in until a call says otherwise. */
export const session = signal<Session>(readSetting('session') === 'in' ? 'in' : 'unknown')
effect(() => {
  if (session.value !== 'unknown') saveSetting('session', session.value)
})
/** Whether it ended by itself, and not because someone signed out. */
export const sessionExpired = signal(false)
/** Counts sign-ins, so that everything shown is asked for anew after one. */
export const sessionNumber = signal(0)
/** False while calls go unanswered or the browser says there is no network. */
export const reachable = signal(true)

const ATTEMPTS = 2

const observedFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init)
    reachable.value = true
    learnClock(Date.parse(response.headers.get('service-time') ?? response.headers.get('date') ?? ''))
    if (response.status === 401) void checkSession()
    return response
  } catch (failure) {
    if (!init?.signal?.aborted) reachable.value = false
    throw failure
  }
}

export const client = createClient({ fetch: observedFetch, attempts: ATTEMPTS })
/** Not watched: its answer decides, and must not ask again. */
const probe = createClient({ attempts: 1 })

let checking: Promise<void> | undefined

/** A 401 may also mean that an upstream refused the service; a read that needs no upstream tells the two apart. */
export function checkSession(): Promise<void> {
  checking ??= probeSession().finally(() => (checking = undefined))
  return checking
}

async function probeSession(): Promise<void> {
  const asked = sessionNumber.value
  try {
    await probe.listEvents({ query: { limit: 1 } })
    reachable.value = true
    session.value = 'in'
  } catch (failure) {
    const status = failure instanceof VendopsError ? failure.status : 0
    // A refusal of before the sign-in may come after it: the service lets wrong tokens wait.
    if (status === 401 && asked === sessionNumber.value) endSession()
    // Any other answer says nothing against us: the pages tell what is wrong, each in its place.
    else if (status !== 0 && session.value === 'unknown') session.value = 'in'
    reachable.value = status !== 0
  }
}

/** Told once: whoever comes without a cookie for the first time has lost nothing. */
export function endSession(): void {
  sessionExpired.value = session.value === 'in'
  session.value = 'out'
}

export async function signIn(token: string): Promise<void> {
  await probe.signIn({ body: { token } })
  sessionNumber.value += 1
  session.value = 'in'
}

export async function signOut(): Promise<void> {
  await probe.signOut()
  sessionExpired.value = false
  session.value = 'out'
}

addEventListener('offline', () => (reachable.value = false))
