/** Operations of the contract: prices. */
import { ACTIVE } from '../capabilities.ts'
import { DryRunQuery } from '../dry-run.ts'
import { type OperationRows, operationRows } from '../operation.ts'
import { PriceChange, PriceChangeRequest } from '../shapes/pricing.ts'
import {
  ExperimentAnswer,
  ExperimentEndRequest,
  ExperimentList,
  ExperimentRequest,
} from '../shapes/planning/experiments.ts'
import { ROLES } from '../roles.ts'
import { IdParams, LocationParams } from './params.ts'

const COMMON = { section: '4.6', tag: 'Pricing', capabilities: ACTIVE.pricing } as const

export const pricingOperations = operationRows(COMMON, {
  changePrices: {
    method: 'PUT',
    path: '/locations/{id}/prices',
    summary: 'Changes live prices on a machine, within the cap or after approval.',
    roles: ROLES.writers,
    write: { guard: 'rules' },
    params: LocationParams,
    query: DryRunQuery,
    body: PriceChangeRequest,
    returns: PriceChange,
    recordsRefusals: true,
    codes: [
      'confirmation_required',
      'not_found',
      'namespace_mismatch',
      'namespace_unsupported',
      'approval_required',
      'too_many_pending',
      'supplier_rejected',
      'upstream_unreachable',
    ],
  },
  listExperiments: {
    method: 'GET',
    path: '/pricing/experiments',
    summary: 'Trials of prices: running, past and proposed, with expected and measured gain.',
    roles: ROLES.writers,
    returns: ExperimentList,
    codes: ['guard_unverifiable'],
  },
  startExperiment: {
    method: 'POST',
    path: '/pricing/experiments',
    summary: 'Tries a price in half of the machines; the others are compared.',
    roles: ROLES.writers,
    write: { guard: 'rules' },
    body: ExperimentRequest,
    returns: ExperimentAnswer,
    codes: ['confirmation_required', 'not_found', 'conflict', 'upstream_unreachable'],
  },
  endExperiment: {
    method: 'POST',
    path: '/pricing/experiments/{id}/end',
    summary: 'Ends a trial: keeps its prices or takes them back.',
    roles: ROLES.writers,
    write: { guard: 'rules' },
    params: IdParams,
    body: ExperimentEndRequest,
    returns: ExperimentAnswer,
    codes: ['confirmation_required', 'not_found', 'not_editable', 'conflict'],
  },
} as const satisfies OperationRows)
