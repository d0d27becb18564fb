/** Operations of the contract: rules and emergency stop. */
import { ACTIVE } from '../capabilities.ts'
import { PartQuery } from '../common.ts'
import {
  EmergencyStopAnswer,
  Guardrails,
  ReleaseRequest,
  RuleChangeList,
  RulesRequest,
  StopRequest,
} from '../shapes/guardrails.ts'
import { type OperationRows, operationRows } from '../operation.ts'
import { ROLES } from '../roles.ts'

const COMMON = { section: '8', tag: 'Guardrails', capabilities: ACTIVE.guardrails } as const

export const guardrailsOperations = operationRows(COMMON, {
  getGuardrails: {
    method: 'GET',
    path: '/guardrails',
    summary: 'Returns the current rules and the state of the emergency stop.',
    roles: ROLES.readers,
    returns: Guardrails,
    codes: ['guard_unverifiable'],
  },
  changeRules: {
    method: 'PUT',
    path: '/guardrails',
    summary: 'Sets rules that the rules file leaves out; the others stay as they are.',
    roles: ROLES.owners,
    write: { guard: 'none' },
    body: RulesRequest,
    returns: Guardrails,
    codes: ['not_editable', 'guard_unverifiable'],
  },
  listRuleChanges: {
    method: 'GET',
    path: '/guardrails/changes',
    summary: 'Lists what was changed in the rules, newest first.',
    roles: ROLES.readers,
    query: PartQuery,
    returns: RuleChangeList,
  },
  pullEmergencyStop: {
    method: 'POST',
    path: '/guardrails/stop',
    summary: 'Engages the emergency stop; it is released by an owner or on the server.',
    roles: ROLES.writers,
    write: { guard: 'none', urgent: true },
    body: StopRequest,
    returns: EmergencyStopAnswer,
  },
  releaseEmergencyStop: {
    method: 'POST',
    path: '/guardrails/release',
    summary: 'Releases the emergency stop, with a typed word; not while the rules file engages it.',
    roles: ROLES.owners,
    write: { guard: 'none' },
    body: ReleaseRequest,
    returns: EmergencyStopAnswer,
    codes: ['not_editable'],
  },
} as const satisfies OperationRows)
