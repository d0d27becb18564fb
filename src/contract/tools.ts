/**
 * The operations as MCP tools: one row for every operation an agent may be given. Only what the operations table cannot say
 * stands here: the name, where the body goes, the toolset and the hints. An operation without a row does not compile.
 */
import type { TObject } from 'typebox'
import type { Toolset } from '../kernel/toolsets.ts'
import type { Operation } from './operation.ts'
import type { settingsOperations } from './operations/settings.ts'
import type { connectionsOperations } from './operations/connections.ts'
import { type OperationId, OPERATIONS } from './operations.ts'
import { type Preset, isInPreset } from './presets.ts'

interface ToolRow {
  /** The protocol's name where it has one, else `vending_` and the operation. */
  readonly name: string
  readonly toolset: Toolset
  /** In the list whatever the toolsets are, as the protocol's own tools are: the rules and the emergency stop. */
  readonly always?: true
  /** The argument that holds the body, as the protocol wants it. Absent: path, query and body members side by side. */
  readonly bodyKey?: 'catalog' | 'checkout' | 'location'
  /** Members of the query or the body that are of no use to an agent. */
  readonly without?: readonly string[]
  /** A tool of the protocol, whose arguments begin with `meta`. */
  readonly ucp?: true
  /** A list of entries that are long as a whole: without `details` each is summed up. */
  readonly summary?: true
  /** `destructiveHint`: changes or replaces what is there, or spends. Only adding, and the emergency stop, are not. */
  readonly destructive?: true
  /** `idempotentHint`: calling it again with the same arguments has no further effect. */
  readonly idempotent?: true
  /** `openWorldHint`: reaches a supplier or a machine. */
  readonly openWorld?: true
}

/**
 * Not tools: a host reads discovery at its address, a session cookie is for browsers, `listNotes` reads one note, too, an
 * owner reads transcripts, `getEarn` is a page of what other tools say, holidays are entries of calendars, faults
 * and photos are what a person saw at a machine,
 * connections are made by a person, whose secrets must not be in the context of a model, and what binds a model is not for a
 * model to change.
 */
type ToolOperationId = Exclude<
  OperationId,
  | 'discovery'
  | 'signIn'
  | 'signOut'
  | 'becomeFirstOwner'
  | 'startPasskey'
  | 'listPasskeys'
  | 'offerPasskey'
  | 'addPasskey'
  | 'removePasskey'
  | 'getNote'
  | 'getTranscript'
  | 'getEarn'
  | 'getHolidays'
  | 'reportMachine'
  | 'listReports'
  | 'fixFault'
  | 'putHoliday'
  | 'changeRules'
  | keyof typeof settingsOperations
  | 'listRuleChanges'
  | 'releaseEmergencyStop'
  | keyof typeof connectionsOperations
>

const ROWS = {
  listNamespaces: { name: 'vending_list_namespaces', toolset: 'catalog' },
  listPlatformLocations: { name: 'vending_list_platform_locations', toolset: 'admin', openWorld: true },
  listConnections: { name: 'vending_list_connections', toolset: 'admin' },
  listPacks: { name: 'vending_list_packs', toolset: 'catalog' },
  // A wrong size multiplies what is bought, so the owner states it.
  statePack: { name: 'vending_state_pack', toolset: 'owner', destructive: true, idempotent: true },
  searchCatalog: { name: 'search_catalog', toolset: 'catalog', ucp: true, bodyKey: 'catalog', openWorld: true },
  lookupCatalog: { name: 'lookup_catalog', toolset: 'catalog', ucp: true, bodyKey: 'catalog', openWorld: true },
  getProduct: { name: 'get_product', toolset: 'catalog', ucp: true, bodyKey: 'catalog', openWorld: true },
  getSku: { name: 'vending_get_sku', toolset: 'catalog', openWorld: true },
  resolveSkus: { name: 'vending_resolve_skus', toolset: 'catalog' },
  setShelfLife: { name: 'vending_set_shelf_life', toolset: 'admin', destructive: true, idempotent: true },
  confirmAliases: { name: 'vending_confirm_aliases', toolset: 'admin', destructive: true, idempotent: true },
  setPhaseOut: { name: 'vending_set_phase_out', toolset: 'admin', destructive: true, idempotent: true },
  searchLocations: { name: 'search_locations', toolset: 'locations', ucp: true, bodyKey: 'location', openWorld: true },
  lookupLocations: { name: 'lookup_locations', toolset: 'locations', ucp: true, bodyKey: 'location' },
  syncLocations: { name: 'vending_sync_locations', toolset: 'admin', openWorld: true },
  putLocation: { name: 'vending_put_location', toolset: 'admin', destructive: true, idempotent: true },
  deleteLocation: { name: 'vending_delete_location', toolset: 'admin', destructive: true, idempotent: true },
  getCalendar: { name: 'vending_get_calendar', toolset: 'locations' },
  putCalendar: { name: 'vending_put_calendar', toolset: 'locations', destructive: true, idempotent: true },
  updateSlot: { name: 'vending_update_slot', toolset: 'admin', destructive: true, idempotent: true },
  serviceMachine: { name: 'vending_service_machine', toolset: 'admin', destructive: true },
  undoService: { name: 'vending_undo_service', toolset: 'admin', destructive: true, idempotent: true },
  getCash: { name: 'vending_get_cash', toolset: 'orders' },
  getStoreroom: { name: 'vending_get_storeroom', toolset: 'replenishment' },
  countStoreroom: { name: 'vending_count_storeroom', toolset: 'replenishment', destructive: true, idempotent: true },
  listStoreroomMovements: { name: 'vending_list_storeroom_movements', toolset: 'replenishment' },
  receiveOrder: { name: 'vending_receive_order', toolset: 'replenishment', idempotent: true },
  createCheckout: { name: 'create_checkout', toolset: 'checkout', ucp: true, bodyKey: 'checkout', openWorld: true },
  listCheckouts: { name: 'vending_list_checkouts', toolset: 'checkout', summary: true },
  getCheckout: { name: 'get_checkout', toolset: 'checkout', ucp: true },
  updateCheckout: {
    name: 'update_checkout',
    toolset: 'checkout',
    ucp: true,
    bodyKey: 'checkout',
    destructive: true,
    idempotent: true,
    openWorld: true,
  },
  completeCheckout: {
    name: 'complete_checkout',
    toolset: 'checkout',
    ucp: true,
    bodyKey: 'checkout',
    destructive: true,
    idempotent: true,
    openWorld: true,
  },
  cancelCheckout: { name: 'cancel_checkout', toolset: 'checkout', ucp: true, destructive: true, idempotent: true },
  // A wrong statement here lets the same order be bought twice, so a person makes it.
  recordOutcome: {
    name: 'vending_record_outcome',
    toolset: 'owner',
    destructive: true,
    idempotent: true,
    without: ['canceled'],
  },
  getOrder: { name: 'get_order', toolset: 'orders', ucp: true, openWorld: true },
  listOrders: { name: 'vending_list_orders', toolset: 'orders', summary: true, openWorld: true },
  listDailySales: { name: 'vending_list_daily_sales', toolset: 'orders' },
  getProfit: { name: 'vending_get_profit', toolset: 'orders' },
  changePrices: {
    name: 'vending_change_prices',
    toolset: 'pricing',
    destructive: true,
    idempotent: true,
    openWorld: true,
  },
  listExperiments: { name: 'vending_list_experiments', toolset: 'pricing' },
  startExperiment: { name: 'vending_start_experiment', toolset: 'pricing', destructive: true, openWorld: true },
  endExperiment: {
    name: 'vending_end_experiment',
    toolset: 'pricing',
    destructive: true,
    idempotent: true,
    openWorld: true,
  },
  getPlan: { name: 'vending_get_plan', toolset: 'replenishment', summary: true, without: ['only', 'sku_id'] },
  getTrips: { name: 'vending_get_trips', toolset: 'replenishment', summary: true },
  getLayout: { name: 'vending_get_layout', toolset: 'replenishment' },
  acceptLayout: { name: 'vending_accept_layout', toolset: 'replenishment', idempotent: true },
  endLaneChange: { name: 'vending_end_lane_change', toolset: 'locations', idempotent: true },
  getSwaps: { name: 'vending_get_swaps', toolset: 'replenishment' },
  endSwap: { name: 'vending_end_swap', toolset: 'locations', idempotent: true },
  acceptSwap: { name: 'vending_accept_swap', toolset: 'replenishment', idempotent: true },
  listRuns: { name: 'vending_list_runs', toolset: 'replenishment', summary: true },
  createRun: { name: 'vending_create_run', toolset: 'replenishment' },
  getRun: { name: 'vending_get_run', toolset: 'replenishment', summary: true },
  placeRun: {
    name: 'vending_place_run',
    toolset: 'replenishment',
    destructive: true,
    idempotent: true,
    openWorld: true,
  },
  cancelRun: { name: 'vending_cancel_run', toolset: 'replenishment', destructive: true, idempotent: true },
  receiveRun: { name: 'vending_receive_run', toolset: 'replenishment', idempotent: true, without: ['came'] },
  getPickList: { name: 'vending_get_pick_list', toolset: 'replenishment' },
  receiveStop: { name: 'vending_receive_stop', toolset: 'replenishment', idempotent: true, without: ['came'] },
  getScore: { name: 'vending_get_score', toolset: 'replenishment' },
  recommendRestock: { name: 'vending_recommend_restock', toolset: 'replenishment', openWorld: true },
  listApprovals: { name: 'vending_list_approvals', toolset: 'approvals', summary: true },
  getApproval: { name: 'vending_get_approval', toolset: 'approvals' },
  // They translate the questions of the service itself.
  askOwner: { name: 'vending_ask_owner', toolset: 'approvals', without: ['params'] },
  resolveApproval: {
    name: 'vending_resolve_approval',
    toolset: 'owner',
    destructive: true,
    idempotent: true,
    openWorld: true,
  },
  getOperator: { name: 'vending_get_operator', toolset: 'approvals' },
  // What the operator may do is the owner's word.
  putOperator: { name: 'vending_set_operator', toolset: 'owner', destructive: true, idempotent: true },
  startShift: { name: 'vending_start_shift', toolset: 'approvals', openWorld: true },
  listShifts: { name: 'vending_list_shifts', toolset: 'approvals', summary: true },
  getShift: { name: 'vending_get_shift', toolset: 'approvals' },
  listNotes: { name: 'vending_read_notes', toolset: 'approvals' },
  putNote: { name: 'vending_write_note', toolset: 'approvals', destructive: true, idempotent: true },
  deleteNote: { name: 'vending_delete_note', toolset: 'approvals', destructive: true, idempotent: true },
  remindMe: { name: 'vending_remind_me', toolset: 'approvals' },
  listEvents: { name: 'vending_list_events', toolset: 'events', summary: true },
  appendEvent: { name: 'vending_append_event', toolset: 'events' },
  getGuardrails: { name: 'vending_get_guardrails', toolset: 'approvals', always: true },
  // Not destructive: no host shall ask before the stop is pulled.
  pullEmergencyStop: { name: 'vending_pull_emergency_stop', toolset: 'approvals', always: true, idempotent: true },
  listWebhooks: { name: 'vending_list_webhooks', toolset: 'events' },
  redeliverWebhook: { name: 'vending_redeliver_webhook', toolset: 'owner', idempotent: true, openWorld: true },
  getLocationHistory: { name: 'vending_get_location_history', toolset: 'replenishment' },
  getOverview: { name: 'vending_get_overview', toolset: 'approvals', without: ['products'] },
  getMe: { name: 'vending_get_me', toolset: 'approvals' },
  listPeople: { name: 'vending_list_people', toolset: 'owner' },
  addPerson: { name: 'vending_add_person', toolset: 'owner' },
  revokePerson: { name: 'vending_revoke_person', toolset: 'owner', destructive: true, idempotent: true },
} as const satisfies Record<ToolOperationId, ToolRow>

export interface Tool extends Omit<ToolRow, 'always'> {
  readonly always: boolean
  readonly operationId: OperationId
  readonly operation: Operation
  /** Changes nothing. */
  readonly readOnly: boolean
  /** Answers small unless it is asked for `details`: writes and lists of ours. */
  readonly brief: boolean
  /** Names of the path and query members, which are arguments of their own. */
  readonly paramNames: readonly string[]
  readonly queryNames: readonly string[]
  /** Names of the members of the body. */
  readonly bodyNames: readonly string[]
  /** Names of all arguments. */
  readonly argumentNames: ReadonlySet<string>
}

/**
 * Arguments of every tool, of every tool of ours that only reads, and of those that answer small. An operation has no member
 * of the first two names, and means by the third what tools mean.
 */
export const META = 'meta'
export const FIELDS = 'fields'
export const DETAILS = 'details'

const namesOf = (schema: TObject | undefined): readonly string[] => Object.keys(schema?.properties ?? {})

/** In the order of the operations table. */
export const TOOLS: readonly Tool[] = Object.entries<Operation>(OPERATIONS).flatMap(([id, operation]) => {
  const row = (ROWS as Readonly<Record<string, ToolRow>>)[id]
  if (!row) return []
  const readOnly = operation.write === undefined
  const paramNames = namesOf(operation.params)
  const queryNames = namesOf(operation.query).filter((name) => !row.without?.includes(name))
  const bodyNames = namesOf(operation.body).filter((name) => !row.without?.includes(name))
  const brief = !row.ucp && (!readOnly || row.summary === true)
  return [
    {
      ...row,
      always: row.always ?? row.ucp ?? false,
      operationId: id as OperationId,
      operation,
      readOnly,
      brief,
      paramNames,
      queryNames,
      bodyNames,
      argumentNames: new Set([
        ...paramNames,
        ...queryNames,
        ...(row.bodyKey ? [row.bodyKey] : bodyNames),
        ...(readOnly && !row.ucp ? [FIELDS] : []),
        ...(brief ? [DETAILS] : []),
        META,
      ]),
    },
  ]
})

/** Entries of a list over MCP where the caller names no limit: an agent has to hold the answer. */
const TOOL_PAGE_DEFAULT = 20
export const TOOL_PLAN_DEFAULT = 30

export interface ToolAccess {
  readonly toolsets: ReadonlySet<Toolset>
  readonly readOnly: boolean
  /** Only these of them. */
  readonly preset?: Preset | undefined
}

export const isOffered = (tool: Tool, { toolsets, readOnly, preset }: ToolAccess): boolean =>
  (tool.always || toolsets.has(tool.toolset)) &&
  (tool.readOnly || !readOnly) &&
  (preset === undefined || isInPreset(preset, tool.operationId))

/** What a tool call asks of its operation. */
export interface ToolCall {
  readonly params: Record<string, unknown>
  readonly query: Record<string, unknown>
  readonly body: unknown
}

type Arguments = Readonly<Record<string, unknown>>

function pick(args: Arguments, names: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {}
  for (const name of names) if (Object.hasOwn(args, name)) picked[name] = args[name]
  return picked
}

/** The arguments of a tool as path, query and body of its operation. Nothing is checked here. */
export function toCall(tool: Tool, args: Arguments): ToolCall {
  const { operation, paramNames, queryNames, bodyNames } = tool
  const params = pick(args, paramNames)
  const query = pick(args, queryNames)
  // A query member is text; a model writes true.
  if (typeof query['dry_run'] === 'boolean') query['dry_run'] = String(query['dry_run'])
  if (queryNames.includes('limit') && query['limit'] === undefined)
    query['limit'] = tool.operationId === 'getPlan' ? TOOL_PLAN_DEFAULT : TOOL_PAGE_DEFAULT
  if (!operation.body) return { params, query, body: undefined }
  if (tool.bodyKey) return { params, query, body: Object.hasOwn(args, tool.bodyKey) ? args[tool.bodyKey] : undefined }
  return { params, query, body: pick(args, bodyNames) }
}
