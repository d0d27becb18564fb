/** Operations of the contract: prices. */
import { ACTIVE } from '../capabilities.ts'
import { DryRunQuery } from '../dry-run.ts'
import type { Operation } from '../operation.ts'
import { PriceChange, PriceChangeRequest } from '../pricing.ts'
import { ROLES } from '../roles.ts'
import { LocationParams } from './params.ts'

export const pricingOperations = {
  changePrices: {
    method: 'PUT',
    path: '/locations/{id}/prices',
    section: '4.6',
    summary: 'Changes live prices on a machine, within the cap or after approval.',
    tag: 'Pricing',
    roles: ROLES.writers,
    write: { guard: 'rules' },
    params: LocationParams,
    query: DryRunQuery,
    body: PriceChangeRequest,
    status: 200,
    returns: PriceChange,
    capabilities: ACTIVE.pricing,
    recordsRefusals: true,
    codes: [
      'confirmation_required',
      'not_found',
      'namespace_mismatch',
      'namespace_unsupported',
      'approval_required',
      'supplier_rejected',
      'upstream_unreachable',
    ],
  },
} as const satisfies Record<string, Operation>
