/** Short lists of tools for one kind of work. A preset replaces the list; the emergency stop is in every one of them. */
import type { OperationId } from './operations.ts'

const OPERATIONS_OF = {
  /** Runs the route: also what a model in the place of the built-in operator gets. */
  operator: [
    'getGuardrails',
    'pullEmergencyStop',
    'getOverview',
    'getTrips',
    'getPlan',
    'listRuns',
    'createRun',
    'getRun',
    'placeRun',
    'cancelRun',
    'listCheckouts',
    'getCheckout',
    'updateCheckout',
    'completeCheckout',
    'cancelCheckout',
    'listOrders',
    'getSwaps',
    'acceptSwap',
    'changePrices',
    'getProfit',
    'listApprovals',
    'askOwner',
    'listNotes',
    'putNote',
    'remindMe',
  ],
  /** At the machines. */
  driver: [
    'pullEmergencyStop',
    'getMe',
    'searchLocations',
    'lookupLocations',
    'listRuns',
    'getRun',
    'getPickList',
    'receiveStop',
    'receiveRun',
    'serviceMachine',
    'undoService',
    'appendEvent',
  ],
  /** Reads what goes on. */
  viewer: [
    'getGuardrails',
    'pullEmergencyStop',
    'getOverview',
    'searchLocations',
    'lookupLocations',
    'getLocationHistory',
    'getPlan',
    'getTrips',
    'listRuns',
    'getRun',
    'listOrders',
    'getOrder',
    'listDailySales',
    'getProfit',
    'listApprovals',
    'getOperator',
    'listShifts',
    'getShift',
    'listEvents',
  ],
} as const satisfies Record<string, readonly OperationId[]>

export type Preset = keyof typeof OPERATIONS_OF

const SETS: ReadonlyMap<string, ReadonlySet<OperationId>> = new Map(
  Object.entries(OPERATIONS_OF).map(([name, ids]) => [name, new Set<OperationId>(ids)]),
)

export const PRESETS = Object.keys(OPERATIONS_OF) as readonly Preset[]

export const isPreset = (name: string): name is Preset => SETS.has(name)

export const isInPreset = (preset: Preset, operation: OperationId): boolean => SETS.get(preset)?.has(operation) === true
