/** Operations of the contract: purchases. */
import { Type } from 'typebox'
import { PO_NUMBER_PATTERN } from '../../kernel/ids.ts'
import { ACTIVE } from '../capabilities.ts'
import {
  Checkout,
  CheckoutCompleteRequest,
  CheckoutCreateRequest,
  CheckoutList,
  CheckoutListQuery,
  CheckoutOutcomeRequest,
  CheckoutUpdateRequest,
} from '../shapes/checkout.ts'
import { DryRunQuery } from '../dry-run.ts'
import { type OperationRows, operationRows } from '../operation.ts'
import { ROLES } from '../roles.ts'

const CheckoutParams = Type.Object({ id: Type.String({ pattern: PO_NUMBER_PATTERN }) })

const COMMON = { section: '4.4', tag: 'Checkout', capabilities: ACTIVE.checkout, paymentHandlers: true } as const

/** Of lines that are assessed. */
const ASSESSMENT_CODES = [
  'namespace_mismatch',
  'namespace_unsupported',
  'item_unavailable',
  'out_of_stock',
  'hard_no_go',
  'approval_required',
  'too_many_pending',
  'guard_unverifiable',
  'supplier_rejected',
  'upstream_unreachable',
] as const

export const checkoutOperations = operationRows(COMMON, {
  createCheckout: {
    method: 'POST',
    path: '/checkout-sessions',
    summary: 'Creates a purchase order to one supplier; nothing is bought yet.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    query: DryRunQuery,
    body: CheckoutCreateRequest,
    status: 201,
    returns: Checkout,
    // No `guard`: an open session sends nothing to the supplier. Completing it does.
    codes: ['conflict', ...ASSESSMENT_CODES],
    errorsWithStatus200: ['item_unavailable'],
  },
  listCheckouts: {
    method: 'GET',
    path: '/checkout-sessions',
    summary: 'Lists checkout sessions, newest first.',
    roles: ROLES.readers,
    query: CheckoutListQuery,
    returns: CheckoutList,
  },
  getCheckout: {
    method: 'GET',
    path: '/checkout-sessions/{id}',
    summary: 'Returns a checkout session.',
    roles: ROLES.readers,
    params: CheckoutParams,
    returns: Checkout,
    codes: ['not_found', 'expired', 'approval_rejected'],
  },
  updateCheckout: {
    method: 'PUT',
    path: '/checkout-sessions/{id}',
    summary: 'Replaces the lines or the fulfillment of a session, which is re-priced and re-checked.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    params: CheckoutParams,
    body: CheckoutUpdateRequest,
    returns: Checkout,
    codes: ['not_found', 'not_editable', 'expired', ...ASSESSMENT_CODES],
    errorsWithStatus200: ['item_unavailable'],
  },
  completeCheckout: {
    method: 'POST',
    path: '/checkout-sessions/{id}/complete',
    summary: 'Places the order with the supplier: spends real money, at most once per session.',
    roles: ROLES.writers,
    write: { guard: 'rules' },
    params: CheckoutParams,
    query: DryRunQuery,
    body: CheckoutCompleteRequest,
    returns: Checkout,
    recordsRefusals: true,
    codes: [
      'confirmation_required',
      'not_found',
      'not_editable',
      'expired',
      'approval_required',
      'too_many_pending',
      'approval_rejected',
      'hard_no_go',
      'out_of_stock',
      'item_unavailable',
      'price_changed',
      'namespace_unsupported',
      'supplier_rejected',
      'upstream_unreachable',
    ],
  },
  cancelCheckout: {
    method: 'POST',
    path: '/checkout-sessions/{id}/cancel',
    summary: 'Cancels an unfinished session; the supplier is not called.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    params: CheckoutParams,
    returns: Checkout,
    codes: ['not_found', 'not_editable'],
  },
  recordOutcome: {
    method: 'POST',
    path: '/checkout-sessions/{id}/outcome',
    summary: 'Records whether the supplier has the order, where only a person can find out. Nothing is sent.',
    // Who sent the order does not say what came of it.
    roles: ROLES.owners,
    tokenUntilOwner: true,
    // No guard: a fact is recorded, also while purchases are blocked.
    write: { guard: 'none' },
    params: CheckoutParams,
    body: CheckoutOutcomeRequest,
    returns: Checkout,
    codes: ['not_found', 'not_editable', 'upstream_unreachable'],
  },
} as const satisfies OperationRows)
