/** Texts of approvals. */
import { plural } from '../../lib/plural.ts'

export const approvalsEn = {
  approvals: {
    noOwner:
      'There is no owner key yet: whoever has the operator token also approves what it asks for. Run: npx vendops people add NAME --role owner',
    askedBy: 'Requested by',
    ownersDecide: 'Only an owner can approve or reject this.',
    lead: 'Requests that need an approval. Nothing happens until it is decided.',
    all: 'All approvals',
    filter: 'Filter approvals',
    pending: 'Pending',
    decided: 'Decided',
    noneText: 'New requests appear here as soon as they need you.',
    noneDecided: 'No decisions yet',
    amount: 'Total',
    pickupAt: 'Pick up at',
    subject: 'Related to',
    willOrder: 'Will be ordered',
    cannotOrder: (lines: number) => `Cannot be ordered (${plural(lines, 'line')} without a supplier)`,
    table: {
      next: 'New price',
      boxes: (n: number) => (n === 1 ? '1 box' : `${n} boxes`),
      price: 'Unit price',
      total: 'Total',
      sold: 'Sold/day',
      showAll: (n: number) => `Show all ${plural(n, 'line')}`,
      level: (stock: number, after: number) => `${stock === 0 ? 'empty' : `${stock} in stock`}, then ${after}`,
      unorderable: 'No supplier',
    },
    next: {
      order: 'Order it now',
      purchase: 'View purchase',
      place: 'Place the run',
      run: 'View run',
      price: 'See the price',
    },
    comment: 'Comment (optional)',
    commentHint: 'Shown with the decision, so that whoever asked knows why.',
    saidBecause: (comment: string) => `“${comment}”`,
    ifApproved: 'If approved',
    ifRejected: 'If rejected',
    approve: 'Approve',
    reject: 'Reject',
    sure: 'Are you sure?',
    back: 'Back',
    confirmReject: 'Yes, reject',
    confirmApprove: {
      checkout: 'Yes, allow this purchase',
      replenishment_run: 'Yes, allow this run',
      price_change: 'Yes, change the price now',
      slot: 'Yes, approve',
    },
    effects: {
      checkout: {
        approved: 'The purchase can then be ordered. You confirm the order in a separate step.',
        rejected: 'The purchase is canceled. Nothing is ordered.',
      },
      replenishment_run: {
        approved: 'The run can then be ordered from the supplier.',
        rejected: 'The run is closed and its slots return to the plan.',
      },
      price_change: {
        approved: 'The new price is sent to the machine immediately.',
        rejected: 'The price stays as it is.',
      },
      slot: { approved: 'The product is changed on the next visit.', rejected: 'Nothing changes.' },
    },
    approvedToast: (what: string) => `Approved: ${what}`,
    rejectedToast: (what: string) => `Rejected: ${what}`,
  },
}
