/** The API client of the console. It also tracks whether the operator is signed in and the service reachable. */
import { effect, signal } from '@preact/signals'
import { createClient, VendopsError } from '../../../client/index.ts'
import { learnClock } from '../text/format.ts'
import { forgetIdentity, learnIdentity } from './identity.ts'
import { saveSetting, readSetting } from '../storage.ts'

export { newIdempotencyKey, VendopsError } from '../../../client/index.ts'

export type Session = 'unknown' | 'in' | 'out'

/** Scripts cannot read the cookie: a browser that signed in before counts as signed in until a call fails with 401. */
export const session = signal<Session>(readSetting('session') === 'in' ? 'in' : 'unknown')
effect(() => {
  if (session.value !== 'unknown') saveSetting('session', session.value)
})
/** True when the session expired, false after a sign-out. */
export const sessionExpired = signal(false)
/** Incremented by every sign-in, so that all data is loaded again. */
export const sessionNumber = signal(0)
/** False after a call without a response, or while the browser reports no network. */
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
/** For checking the session itself: without observedFetch, which would start another check on a 401. */
const probe = createClient({ attempts: 1 })

let checking: Promise<void> | undefined

/** A 401 may also come from an upstream that refused the service; a request that needs no upstream tells the two apart. */
export function checkSession(): Promise<void> {
  checking ??= probeSession().finally(() => (checking = undefined))
  return checking
}

async function probeSession(): Promise<void> {
  const asked = sessionNumber.value
  try {
    learnIdentity(await probe.getMe())
    reachable.value = true
    session.value = 'in'
  } catch (failure) {
    const status = failure instanceof VendopsError ? failure.status : 0
    // A 401 to a request sent before the sign-in may arrive after it, because the service delays wrong tokens.
    if (status === 401 && asked === sessionNumber.value) endSession()
    // Any other response does not mean signed out; the pages show what went wrong.
    else if (status !== 0 && session.value === 'unknown') session.value = 'in'
    reachable.value = status !== 0
  }
}

/** A browser that was never signed in has no session to expire, and one that ended says so also after the next 401. */
export function endSession(): void {
  if (session.value === 'in') sessionExpired.value = true
  session.value = 'out'
}

export async function signIn(token: string): Promise<void> {
  await probe.signIn({ body: { token } })
  await enter()
}

/** Signs in as well, but stays on the page until the key was noted: it is shown this once. */
export const becomeFirstOwner = async (code: string, name: string): Promise<string> =>
  (await probe.becomeFirstOwner({ body: { code, name } })).key ?? ''

/** The browser asks for the finger, the face or the PIN in between. */
export async function signInWithPasskey(): Promise<void> {
  const { usePasskey } = await import('./passkeys.ts')
  const asked = await probe.startPasskey({ body: { purpose: 'sign_in' } })
  await probe.signIn({ body: { passkey: await usePasskey(asked) } })
  await enter()
}

export async function becomeOwnerWithPasskey(code: string, name: string): Promise<void> {
  const { deviceName, makePasskey } = await import('./passkeys.ts')
  const asked = await probe.startPasskey({ body: { purpose: 'first_owner' } })
  const passkey = await makePasskey(asked, name, deviceName(navigator.userAgent))
  await probe.becomeFirstOwner({ body: { code, name, passkey } })
}

/** Opens the pages, once there is a session. */
export async function enter(): Promise<void> {
  forgetIdentity()
  // Before any page: what the role may not read is not asked for. If this fails, the pages show why.
  await probe.getMe().then(learnIdentity, () => {})
  sessionNumber.value += 1
  session.value = 'in'
}

/** `everywhere`: also in the other browsers of the same person. */
export async function signOut(everywhere = false): Promise<void> {
  await probe.signOut({ body: { everywhere } })
  sessionExpired.value = false
  session.value = 'out'
}

addEventListener('offline', () => (reachable.value = false))
