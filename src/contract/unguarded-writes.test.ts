/**
 * A write without a guard sends nothing to a supplier or a machine. Each is named here with what it does instead: whoever
 * adds one has to say so, because `guard: 'none'` for a write that sends would only be stopped by the send permit.
 */
import { expect, test } from 'vitest'
import type { OperationId } from './handlers.ts'
import type { Operation } from './operation.ts'
import { OPERATIONS, operationIds } from './operations.ts'

const WITHOUT_GUARD = {
  addConnection: 'stores a connection',
  addPasskey: 'stores a passkey of the caller',
  addPerson: 'stores a key',
  appendEvent: 'stores an event',
  askOwner: 'stores a question',
  cancelCheckout: 'closes a draft; an order that may exist is not touched',
  cancelRun: 'closes a run',
  changeConnection: 'stores the settings of a connection',
  changeRules: 'stores rules',
  changeSettings: 'stores settings',
  confirmAliases: 'stores aliases',
  countStoreroom: 'stores what was counted in the store room',
  createCheckout: 'stores a draft; reads the supplier',
  createRun: 'stores a run; under the kill switch one without lines',
  decideFile: 'uses or discards a file that was brought',
  deleteLocation: 'removes a machine from the roster',
  deleteNote: 'deletes a note',
  endLaneChange: 'records that a lane was changed, or will not be',
  endSwap: 'records that a swap ended',
  fixFault: 'stores that a fault is fixed',
  pullEmergencyStop: 'engages the kill switch',
  putCalendar: 'stores closed days and events',
  putHoliday: 'stores closed days of machines',
  putLocation: 'stores a machine',
  putNote: 'stores a note',
  putOperator: 'stores what the operator may do, and when',
  putSelections: 'stores what is in the selections of a machine',
  receiveOrder: 'books what came into the store room',
  receiveRun: 'books what was loaded',
  receiveStop: 'books what was loaded at one machine',
  recordOutcome: 'stores what a person found out about an order',
  redeliverWebhook: 'sends an event to its subscriber again',
  releaseEmergencyStop: 'releases the kill switch, by an owner',
  remindMe: 'stores a reminder',
  removeConnection: 'removes a connection that nothing needs',
  removePasskey: 'removes a passkey of the caller',
  reportMachine: 'stores a fault or a photo',
  revokePerson: 'revokes a key',
  serviceMachine: 'books what was done at a machine',
  setPhaseOut: 'stores that a product is phased out',
  setShelfLife: 'stores the shelf life of a product',
  startShift: 'stores a shift; what it sends passes its own guard',
  statePack: 'stores how many items a pack holds; reads the price list',
  syncLocations: 'reads machines and ledgers',
  undoService: 'takes a booking back',
  updateCheckout: 'changes a draft; reads the supplier',
  updateSlot: 'stores what an operator states about a slot',
  uploadFile: 'stores a file; reads it',
} as const satisfies Partial<Record<OperationId, string>>

test('3.1 a write has a guard, or is named with what it does without sending', () => {
  const withoutGuard = operationIds.filter((id) => (OPERATIONS[id] as Operation).write?.guard === 'none')
  expect(withoutGuard.toSorted()).toEqual(Object.keys(WITHOUT_GUARD))
})
