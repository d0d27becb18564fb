/** The one client of the console. Whether we are signed in and whether the service can be reached is seen here. */
import { signal } from '@preact/signals'
import { createClient, VendopsError } from '../../client/index.ts'

export { VendopsError } from '../../client/index.ts'

export type Session = 'unknown' | 'in' | 'out'

export const session = signal<Session>('unknown')
/** Counts sign-ins, so that everything shown is asked for anew after one. */
export const sessionNumber = signal(0)
/** False while calls go unanswered or the browser says there is no network. */
export const reachable = signal(true)

const ATTEMPTS = 2

const watched: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init)
    reachable.value = true
    if (response.status === 401) void checkSession()
    else if (response.ok && session.value === 'unknown') session.value = 'in'
    return response
  } catch (failure) {
    if (!init?.signal?.aborted) reachable.value = false
    throw failure
  }
}

export const client = createClient({ fetch: watched, attempts: ATTEMPTS })
/** Not watched: its answer decides, and must not ask again. */
const probe = createClient({ attempts: 1 })

let checking: Promise<void> | undefined

/** A 401 may also mean that an upstream refused the service; a read that needs no upstream tells the two apart. */
function checkSession(): Promise<void> {
  checking ??= probe
    .listEvents({ query: { limit: 1 } })
    .then(
      () => void (session.value = 'in'),
      (failure: unknown) => {
        if (failure instanceof VendopsError && failure.status === 401) session.value = 'out'
      },
    )
    .finally(() => (checking = undefined))
  return checking
}

export async function signIn(token: string): Promise<void> {
  await probe.signIn({ body: { token } })
  sessionNumber.value += 1
  session.value = 'in'
}

export async function signOut(): Promise<void> {
  await probe.signOut()
  session.value = 'out'
}

addEventListener('offline', () => (reachable.value = false))
