/** Operations of the contract: decisions of the owner. */
import { ApprovalAnswer, ApprovalList, ApprovalListQuery, ResolveApprovalRequest } from '../approval.ts'
import { ACTIVE } from '../capabilities.ts'
import type { Operation } from '../operation.ts'
import { ROLES } from '../roles.ts'
import { IdParams } from './params.ts'

export const approvalsOperations = {
  listApprovals: {
    method: 'GET',
    path: '/approvals',
    section: '4.8',
    summary:
      'Lists all approvals of a status: pending ones (the default) oldest first, others newest first. Paged when `limit` or `cursor` is sent.',
    tag: 'Approvals',
    roles: ROLES.readers,
    query: ApprovalListQuery,
    status: 200,
    returns: ApprovalList,
    capabilities: ACTIVE.approvals,
    codes: [],
  },
  getApproval: {
    method: 'GET',
    path: '/approvals/{id}',
    section: '4.8',
    summary: 'Returns one approval.',
    tag: 'Approvals',
    roles: ROLES.readers,
    params: IdParams,
    status: 200,
    returns: ApprovalAnswer,
    capabilities: ACTIVE.approvals,
    codes: ['not_found'],
  },
  resolveApproval: {
    method: 'POST',
    path: '/approvals/{id}',
    section: '4.8',
    summary: 'Approves or rejects a pending approval, and applies that to its subject.',
    tag: 'Approvals',
    roles: ROLES.deciders,
    tokenUntilOwner: true,
    write: { guard: 'stop' },
    params: IdParams,
    body: ResolveApprovalRequest,
    status: 200,
    returns: ApprovalAnswer,
    capabilities: ACTIVE.approvals,
    codes: ['not_found', 'forbidden', 'already_resolved', 'guard_unverifiable'],
  },
} as const satisfies Record<string, Operation>
