/**
 * What was pressed on this device and has to reach the service. A press is on the device, with its idempotency key,
 * before anything is sent; it leaves the device when its person signs out, or some time after the service booked it.
 */
import { signal } from '@preact/signals'
import type { Message } from '../../../../contract/common.ts'
import type { ServiceRequest, StopReceiveRequest } from '../../../../contract/shapes/service.ts'
import { DAY, nowMs } from '../../../lib/text/format.ts'
import { person } from '../../../lib/service/me.ts'
import { readAllRecords, clearRecords, deleteRecord, putRecord, updateRecord } from './database.ts'

interface PressBase {
  /** The idempotency key, made with the press. */
  readonly id: string
  readonly person: string
  readonly location: string
  /** The machine's name, for lists without a network. */
  readonly name: string
  readonly at: string
  /** `sent`: booked by the service. `refused`: it will not be booked as it is. */
  readonly state: 'kept' | 'sent' | 'refused'
  /** When it was first sent, by the clock of this device. Until an answer came it may be booked or not. */
  readonly triedMs?: number
  readonly sentAt?: string
  readonly refusal?: Refusal
}

export interface Refusal {
  readonly code: string
  readonly text: string
  readonly messages: readonly Message[]
}

export interface VisitPress extends PressBase {
  readonly kind: 'receive' | 'service'
  readonly run?: string
  readonly body: StopReceiveRequest | ServiceRequest
  /** As entered, to be changed after a refusal or an undo. */
  readonly draft: unknown
  /** How the service calls what it booked, and how long it can be undone. */
  readonly booked?: { readonly id: string; readonly undoUntil: string }
  readonly undone?: boolean
}

export interface UndoPress extends PressBase {
  readonly kind: 'undo'
  /** The press to undo. */
  readonly of: string
}

/** A fault or a photo. It leaves the device when it was sent. */
export interface ReportPress extends PressBase {
  readonly kind: 'report'
  /** The press of the visit that it was entered with. */
  readonly of?: string
  readonly fault?: string
  /** A data URL. */
  readonly photo?: string
}

export type Press = VisitPress | UndoPress | ReportPress

/** The presses of the person who is signed in, oldest first. */
export const presses = signal<readonly Press[]>([])
/** Presses of others that still have to be sent, by name. */
export const foreignPresses = signal<readonly Press[]>([])
/** Ids of what is being sent right now. */
export const sending = signal<ReadonlySet<string>>(new Set())

export const isVisit = (press: Press): press is VisitPress => press.kind === 'service' || press.kind === 'receive'
export const isWaiting = ({ state }: Press): boolean => state === 'kept'
/** Waiting, or refused: the person still has to say something about it. Nobody else may lose it. */
export const isUnsent = ({ state }: Press): boolean => state !== 'sent'

/** So that a driver sees what was sent, and nothing waits forever for a person who does not come back. */
const KEPT_MS = 7 * DAY

const tabs = 'BroadcastChannel' in globalThis ? new BroadcastChannel('vendops-visits') : undefined

export async function loadPresses(): Promise<void> {
  const all = (await readAllRecords<Press>('press')).toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
  presses.value = all.filter((press) => press.person === person.value)
  foreignPresses.value = all.filter((press) => press.person !== person.value && isWaiting(press))
}

async function noteChanged(): Promise<void> {
  await loadPresses()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches pages of this origin only
  tabs?.postMessage('changed')
}
tabs?.addEventListener('message', () => void loadPresses())

export async function keepPress(press: Press): Promise<void> {
  await putRecord('press', press)
  // Asks the browser not to clear the store when the device runs out of space.
  void navigator.storage?.persist?.().catch(() => false)
  await noteChanged()
}

export async function changePress(id: string, change: (press: Press) => Press | 'delete' | undefined) {
  const changed = await updateRecord<Press>('press', id, change)
  await noteChanged()
  return changed
}

export async function dropPress(id: string): Promise<void> {
  await deleteRecord('press', id)
  await noteChanged()
}

/** Takes a press back that was never sent. False when it may have reached the service. */
export async function takeBackUnsent(id: string): Promise<boolean> {
  let isUnsent = false
  await changePress(id, (press) => {
    isUnsent = press.state === 'kept' && press.triedMs === undefined
    return isUnsent ? 'delete' : undefined
  })
  return isUnsent
}

interface Owned {
  readonly id: string
  readonly person: string
}

/** What may go: an undo that still has to be sent needs to know what it undoes. */
function withoutUnsent(all: readonly Press[]): readonly Press[] {
  const undone = new Set(all.flatMap((press) => (press.kind === 'undo' && isUnsent(press) ? [press.of] : [])))
  return all.filter((press) => !isUnsent(press) && !undone.has(press.id))
}

const isOver = ({ at }: Press): boolean => Date.parse(at) < nowMs() - KEPT_MS

/** What was sent long ago, and everything that belongs to somebody else except what still has to be sent, for seven days. */
export async function tidyDevice(): Promise<void> {
  if (person.value === '') return
  const isForeign = (press: Press) => press.person !== person.value
  await clearRecords<Press>('press', (all) => [
    ...withoutUnsent(all).filter((press) => isForeign(press) || isOver(press)),
    ...all.filter((press) => isForeign(press) && isOver(press)),
  ])
  const findForeign = (all: readonly Owned[]) => all.filter((record) => record.person !== person.value)
  await clearRecords('draft', findForeign)
  await clearRecords('day', findForeign)
  await noteChanged()
}

/** Removes everything that was kept for a person who signed out. What others still have to send stays. */
export async function clearDevice(owner: string, { withUnsent }: { readonly withUnsent: boolean }): Promise<void> {
  await clearRecords<Press>('press', (all) =>
    (withUnsent ? all : withoutUnsent(all)).filter((press) => press.person === owner),
  )
  if (withUnsent) await clearRecords('draft')
  await clearRecords('day')
  await noteChanged()
}

/**
 * After a session ended, here or elsewhere: nobody is signed in, so no names and addresses stay. What was entered and not
 * sent stays for whoever entered it, under the machine's id.
 */
export async function clearAfterSession(): Promise<void> {
  await clearRecords('day')
  await clearRecords<Press>('press', (all) => [...withoutUnsent(all), ...all.filter(isOver)])
  for (const { id } of await readAllRecords<Press>('press'))
    await updateRecord<Press>('press', id, (press) => ({ ...press, name: press.location }))
  await noteChanged()
}
