/** Operations of the contract: rules and emergency stop. */
import { ACTIVE } from '../capabilities.ts'
import { EmergencyStopAnswer, Guardrails, StopRequest } from '../guardrails.ts'
import type { Operation } from '../operation.ts'
import { ROLES } from '../roles.ts'

export const guardrailsOperations = {
  getGuardrails: {
    method: 'GET',
    path: '/guardrails',
    section: '8',
    summary: 'Returns the current rules and the state of the emergency stop.',
    tag: 'Guardrails',
    roles: ROLES.readers,
    status: 200,
    returns: Guardrails,
    capabilities: ACTIVE.guardrails,
    codes: ['guard_unverifiable'],
  },
  pullEmergencyStop: {
    method: 'POST',
    path: '/guardrails/stop',
    section: '8',
    summary: 'Engages the emergency stop; it can be released only on the server.',
    tag: 'Guardrails',
    roles: ROLES.writers,
    write: { guard: 'none', urgent: true },
    body: StopRequest,
    status: 200,
    returns: EmergencyStopAnswer,
    capabilities: ACTIVE.guardrails,
    codes: [],
  },
} as const satisfies Record<string, Operation>
