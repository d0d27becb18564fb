/** Operations of the contract: plan, runs, trips, swaps and score. */
import { Type } from 'typebox'
import { SwapAnswer, SwapEndRequest, SwapList, SwapRequest, SwapsQuery } from '../shapes/planning/swaps.ts'
import { ACTIVE } from '../capabilities.ts'
import { LocationId, SlotId } from '../common.ts'
import { DryRunQuery } from '../dry-run.ts'
import { WORD_MAX } from '../limits.ts'
import { type OperationRows, operationRows } from '../operation.ts'
import { LaneEndRequest, Layout, LayoutQuery, LayoutRequest } from '../shapes/planning/layout.ts'
import { PickList, PickListQuery } from '../shapes/pick-list.ts'
import { PlanQuery, ReplenishmentPlan, RestockAccepted, RestockRequest } from '../shapes/replenishment.ts'
import { ReceiveRequest, ReplenishmentRun, RunList, RunListQuery, RunQuery, RunRequest } from '../shapes/run.ts'
import { Score, ScoreQuery } from '../shapes/score.ts'
import { TripList, TripsQuery } from '../shapes/trips.ts'
import { ROLES } from '../roles.ts'
import { text } from '../schema-helpers.ts'
import { StopReceiveRequest } from '../shapes/service.ts'
import { IdParams, LocationParams } from './params.ts'

const COMMON = { section: '4.7', tag: 'Replenishment', capabilities: ACTIVE.replenishment } as const

export const replenishmentOperations = operationRows(COMMON, {
  getPlan: {
    method: 'GET',
    path: '/replenishment/plan',
    summary: 'Returns what to order now for each slot, and why. With a filter or `limit`, the most urgent slots first.',
    roles: ROLES.routeReaders,
    query: PlanQuery,
    returns: ReplenishmentPlan,
    codes: ['not_found'],
  },
  listRuns: {
    method: 'GET',
    path: '/replenishment/runs',
    summary: 'Lists all replenishment runs, newest first, those waiting for approval oldest first.',
    roles: ROLES.routeReaders,
    query: RunListQuery,
    returns: RunList,
  },
  createRun: {
    method: 'POST',
    path: '/replenishment/runs',
    summary:
      'Creates a run from the plan, for all machines that are due, an area or chosen machines; above the spending limit it needs approval.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    query: DryRunQuery,
    body: RunRequest,
    bodyOptional: true,
    status: 201,
    returns: ReplenishmentRun,
    // No `guard`: while the kill switch is engaged the contract wants a run with status `blocked`.
    codes: ['approval_required', 'too_many_pending', 'kill_switch_engaged', 'guard_unverifiable', 'not_found'],
  },
  getRun: {
    method: 'GET',
    path: '/replenishment/runs/{id}',
    summary: 'Returns a replenishment run, or one machine of it.',
    roles: ROLES.routeReaders,
    params: IdParams,
    query: RunQuery,
    returns: ReplenishmentRun,
    codes: ['not_found', 'canceled'],
  },
  placeRun: {
    method: 'POST',
    path: '/replenishment/runs/{id}/place',
    summary: 'Places a run with the supplier: simulated, or one checkout session per supply namespace.',
    roles: ROLES.writers,
    write: { guard: 'rules' },
    params: IdParams,
    query: DryRunQuery,
    returns: ReplenishmentRun,
    codes: [
      'not_found',
      'already_placed',
      'already_delivered',
      'approval_required',
      'too_many_pending',
      'approval_rejected',
      'not_placeable',
      'simulation_disabled',
      'unresolved_sku',
      'item_unavailable',
      'hard_no_go',
      'supplier_rejected',
      'upstream_unreachable',
    ],
    // The last three say why no line can be ordered.
    statuses: {
      approval_required: 409,
      approval_rejected: 409,
      unresolved_sku: 409,
      item_unavailable: 409,
      hard_no_go: 409,
    },
  },
  cancelRun: {
    method: 'POST',
    path: '/replenishment/runs/{id}/cancel',
    section: '3.2',
    summary: 'Cancels a run of which nothing was ordered, with its pending approval and open purchases.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    params: IdParams,
    returns: ReplenishmentRun,
    codes: ['not_found', 'already_delivered', 'not_editable'],
  },
  receiveRun: {
    method: 'POST',
    path: '/replenishment/runs/{id}/receive',
    summary: 'Records what was actually loaded; stock rises, never above a known capacity.',
    roles: ROLES.routeWriters,
    write: { guard: 'none' },
    params: IdParams,
    body: ReceiveRequest,
    returns: ReplenishmentRun,
    codes: ['not_found', 'already_delivered', 'already_received', 'not_enabled', 'not_placed'],
  },
  getPickList: {
    method: 'GET',
    path: '/replenishment/runs/{id}/pick-list',
    summary: 'Returns what to load for a run, and what to put into each machine.',
    roles: ROLES.routeReaders,
    params: IdParams,
    query: PickListQuery,
    returns: PickList,
    codes: ['not_found'],
  },
  receiveStop: {
    method: 'POST',
    path: '/replenishment/runs/{id}/visits/{location}/receive',
    summary: 'Records what was loaded, taken out and counted at one machine of a run; the last closes the run.',
    roles: ROLES.routeWriters,
    write: { guard: 'none' },
    params: Type.Object({ id: text(WORD_MAX), location: LocationId }),
    body: StopReceiveRequest,
    returns: ReplenishmentRun,
    codes: ['not_found', 'already_delivered', 'already_received', 'not_enabled', 'not_placed'],
  },
  getScore: {
    method: 'GET',
    path: '/replenishment/score',
    summary: 'Compares past forecasts with what was sold.',
    roles: ROLES.readers,
    query: ScoreQuery,
    returns: Score,
  },
  getTrips: {
    method: 'GET',
    path: '/replenishment/trips',
    summary: 'Returns which machines to visit together, when and in which order.',
    roles: ROLES.routeReaders,
    query: TripsQuery,
    returns: TripList,
  },
  getLayout: {
    method: 'GET',
    path: '/replenishment/layouts',
    summary: 'Proposes lanes of a machine to give to another of its products, with the gain of each.',
    roles: ROLES.readers,
    query: LayoutQuery,
    returns: Layout,
    codes: ['not_found'],
  },
  acceptLayout: {
    method: 'POST',
    path: '/replenishment/layouts',
    summary: 'Accepts proposed lanes; the next visit changes them and brings what fits.',
    roles: ROLES.writers,
    write: { guard: 'rules', limit: 'new' },
    body: LayoutRequest,
    returns: Layout,
    codes: ['not_found', 'confirmation_required'],
  },
  endLaneChange: {
    method: 'PUT',
    path: '/replenishment/layouts/{id}',
    summary: 'Says that a lane of a machine was changed, or that it will not be.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    params: LocationParams,
    body: LaneEndRequest,
    returns: Layout,
    codes: ['not_found'],
  },
  getSwaps: {
    method: 'GET',
    path: '/replenishment/swaps',
    summary: 'Proposes products that would earn more in slots that earn little; lists their trials and verdicts.',
    roles: ROLES.readers,
    query: SwapsQuery,
    returns: SwapList,
    codes: ['guard_unverifiable'],
  },
  acceptSwap: {
    method: 'POST',
    path: '/replenishment/swaps',
    summary: 'Puts a proposed product on trial in a slot, or asks the owner.',
    roles: ROLES.writers,
    write: { guard: 'rules', limit: 'new' },
    body: SwapRequest,
    returns: SwapAnswer,
    codes: ['not_found', 'not_editable', 'too_many_pending', 'confirmation_required'],
  },
  endSwap: {
    method: 'PUT',
    path: '/replenishment/swaps/{slot_id}',
    summary: 'Says that a swap was made or will not be, or ends its trial.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    params: Type.Object({ slot_id: SlotId }),
    body: SwapEndRequest,
    returns: SwapAnswer,
    codes: ['not_found', 'not_editable'],
  },
  recommendRestock: {
    method: 'POST',
    path: '/locations/{id}/restock-recommendations',
    summary: 'Sends restock recommendations to the queue of the platform; no money is spent.',
    roles: ROLES.writers,
    write: { guard: 'rules' },
    params: LocationParams,
    body: RestockRequest,
    returns: RestockAccepted,
    codes: ['not_found', 'namespace_mismatch', 'namespace_unsupported', 'supplier_rejected', 'upstream_unreachable'],
  },
} as const satisfies OperationRows)
