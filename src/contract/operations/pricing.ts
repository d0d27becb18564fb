/** Operations of the contract: prices. */
import { ACTIVE } from '../capabilities.ts'
import { DryRunQuery } from '../dry-run.ts'
import { type OperationRows, operationRows } from '../operation.ts'
import { PriceChange, PriceChangeRequest } from '../shapes/pricing.ts'
import { ROLES } from '../roles.ts'
import { LocationParams } from './params.ts'

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
} as const satisfies OperationRows)
