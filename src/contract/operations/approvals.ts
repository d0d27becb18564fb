/** Operations of the contract: decisions of the owner. */
import {
  ApprovalAnswer,
  ApprovalList,
  ApprovalListQuery,
  QuestionRequest,
  ResolveApprovalRequest,
} from '../shapes/approval.ts'
import { ACTIVE } from '../capabilities.ts'
import { type OperationRows, operationRows } from '../operation.ts'
import { ROLES } from '../roles.ts'
import { IdParams } from './params.ts'

const COMMON = { section: '4.8', tag: 'Approvals', capabilities: ACTIVE.approvals } as const

export const approvalsOperations = operationRows(COMMON, {
  listApprovals: {
    method: 'GET',
    path: '/approvals',
    summary: 'Lists approvals of a status: pending ones (the default) oldest first, others newest first.',
    roles: ROLES.readers,
    query: ApprovalListQuery,
    returns: ApprovalList,
  },
  getApproval: {
    method: 'GET',
    path: '/approvals/{id}',
    summary: 'Returns one approval.',
    roles: ROLES.readers,
    params: IdParams,
    returns: ApprovalAnswer,
    codes: ['not_found'],
  },
  askOwner: {
    method: 'POST',
    path: '/approvals',
    summary: 'Asks the owner a question. The answer is in the approval; it approves nothing else.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    body: QuestionRequest,
    status: 201,
    returns: ApprovalAnswer,
    codes: ['too_many_pending'],
  },
  resolveApproval: {
    method: 'POST',
    path: '/approvals/{id}',
    summary: 'Approves or rejects a pending approval and applies that to its subject, or answers a question.',
    roles: ROLES.deciders,
    tokenUntilOwner: true,
    write: { guard: 'stop' },
    params: IdParams,
    body: ResolveApprovalRequest,
    returns: ApprovalAnswer,
    codes: ['not_found', 'forbidden', 'already_resolved', 'expired', 'guard_unverifiable'],
    statuses: { expired: 409 },
  },
} as const satisfies OperationRows)
