/** Sends what was pressed, oldest first and each with its own key, whenever the line is up. */
import { effect } from '@preact/signals'
import { client, reachable, session, VendopsError } from '../../../lib/service/api.ts'
import { nowTimestamp } from '../../../lib/text/format.ts'
import { noteChange } from '../../../lib/service/freshness.ts'
import { learnIdentity } from '../../../lib/service/identity.ts'
import { person } from '../../../lib/service/me.ts'
import { refreshDay } from './day.ts'
import { changePress, isVisit, isWaiting, loadPresses, presses, sending, tidyDevice } from './presses.ts'
import type { Press, ReportPress, UndoPress, VisitPress } from './presses.ts'
import { base64Of } from './photo.ts'

/** How often it is tried again while something waits. */
const RETRY_MS = 15_000
const SEND_TIMEOUT_MS = 20_000
/** The service forgets a key after 48 hours; what may have been booked before that must not be sent again unseen. */
const KEY_VALID_MS = 40 * 60 * 60 * 1000
/** Refusals that say nothing about the press itself. */
const PASSING_CODES: ReadonlySet<string> = new Set(['unauthorized', 'rate_limited', 'idempotency_in_progress'])

const mayPass = ({ status, code }: VendopsError): boolean =>
  status === 0 || status >= 500 || status === 401 || status === 429 || PASSING_CODES.has(code)

const optionsOf = ({ id }: Press) => ({ idempotencyKey: id, attempts: 1, timeoutMs: SEND_TIMEOUT_MS })

/** Books a visit and returns how to take it back. */
async function bookVisit(press: VisitPress): Promise<VisitPress['booked']> {
  const { location, run, body } = press
  if (run === undefined) {
    const { service } = await client.serviceMachine({ params: { id: location }, body, ...optionsOf(press) })
    return { id: service.id, undoUntil: service.undo_until }
  }
  const params = { id: run, location }
  const { visits = [] } = await client.receiveStop({ params, body: { delivered: [], ...body }, ...optionsOf(press) })
  const visit = visits.find((one) => one.location === location)
  return visit?.service_id && visit.undo_until ? { id: visit.service_id, undoUntil: visit.undo_until } : undefined
}

async function sendVisit(press: VisitPress): Promise<void> {
  const booked = await bookVisit(press)
  const sent = { state: 'sent', sentAt: nowTimestamp(), ...(booked ? { booked } : {}) } as const
  await changePress(press.id, (now) => ({ ...now, ...sent }))
}

/** How the service calls what was sent with a press. */
function bookedOf(id: string | undefined): VisitPress['booked'] {
  const press = presses.peek().find((one) => one.id === id)
  return press && isVisit(press) ? press.booked : undefined
}

async function sendReport(press: ReportPress): Promise<void> {
  const { location, of, fault, photo, at } = press
  const booked = bookedOf(of)
  await client.reportMachine({
    params: { id: location },
    body: {
      occurred_at: at,
      ...(fault === undefined ? {} : { fault }),
      ...(photo === undefined ? {} : { photo: base64Of(photo) }),
      ...(booked ? { service_id: booked.id } : {}),
    },
    ...optionsOf(press),
  })
  await changePress(press.id, () => 'delete')
}

async function sendUndo(press: UndoPress): Promise<void> {
  const booked = bookedOf(press.of)
  // What it undoes may have been refused in the meantime; then there is nothing to undo.
  if (booked) await client.undoService({ params: { id: press.location, service_id: booked.id }, ...optionsOf(press) })
  await changePress(press.of, (now) => (isVisit(now) ? { ...now, undone: true } : undefined))
  await changePress(press.id, () => 'delete')
}

const refusalOf = (failure: VendopsError) => ({
  code: failure.code,
  text: failure.message,
  messages: failure.messages,
})

/** True when the next press may be sent at once. */
async function sendOne(id: string): Promise<boolean> {
  // On the device before the first byte leaves it: a press that was tried is no longer taken back by deleting it.
  const press = await changePress(id, (now) => (now.state === 'kept' ? { triedMs: Date.now(), ...now } : undefined))
  if (press === undefined || press.state !== 'kept') return true
  if (Date.now() - (press.triedMs ?? 0) > KEY_VALID_MS) {
    const refusal = { code: 'unclear', text: '', messages: [] }
    await changePress(id, (now) => ({ ...now, state: 'refused', refusal }))
    return true
  }
  sending.value = new Set([id])
  noteChange()
  try {
    // Somebody else may have signed in meanwhile, in another tab too: what a person did is never booked as another's.
    learnIdentity(await client.getMe({ attempts: 1, timeoutMs: SEND_TIMEOUT_MS }))
    if (press.person !== person.peek()) return false
    await (press.kind === 'undo' ? sendUndo(press) : press.kind === 'report' ? sendReport(press) : sendVisit(press))
    return true
  } catch (failure) {
    if (!(failure instanceof VendopsError)) throw failure
    if (mayPass(failure)) return false
    await changePress(id, (now) => ({ ...now, state: 'refused', refusal: refusalOf(failure) }))
    // The service knows something about this visit that the device does not.
    void refreshDay().catch(() => {})
    return true
  } finally {
    noteChange()
    sending.value = new Set()
  }
}

async function sendAll(): Promise<void> {
  await loadPresses()
  for (const { id } of presses.peek().filter(isWaiting)) if (!(await sendOne(id))) return
}

/** One tab at a time, where the browser can say so; the keys keep two tabs from booking twice anyway. */
const withLock = (work: () => Promise<void>): Promise<void> =>
  'locks' in navigator ? navigator.locks.request('vendops-visits-send', work) : work()

let running: Promise<void> | undefined
let again = false

/** Sends now. A call while it runs has it look once more at the end. */
export function sendPresses(): Promise<void> {
  // What was never tried can be taken back by deleting it, so nothing is tried while the browser knows that it is offline.
  if (session.peek() !== 'in' || person.peek() === '' || !navigator.onLine) return Promise.resolve()
  if (running) {
    again = true
    return running
  }
  running = withLock(sendAll).finally(() => {
    running = undefined
    if (!again) return
    again = false
    void sendPresses()
  })
  return running
}

let started = false

/** From the first page on, whatever page it is: what waits on the device is sent. */
export function startSending(): void {
  if (started) return
  started = true
  const trySend = () => void sendPresses().catch(() => {})
  effect(() => {
    if (session.value !== 'in' || person.value === '') return
    void (async () => {
      await tidyDevice()
      trySend()
    })().catch(() => {})
  })
  effect(() => {
    if (reachable.value) trySend()
  })
  addEventListener('online', trySend)
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') trySend()
  })
  setInterval(() => {
    if (presses.peek().some(isWaiting)) trySend()
  }, RETRY_MS)
}
