import { expect, test } from 'vitest'
import type { Operation } from '../../contract/operation.ts'
import { OPERATIONS, operationIds } from '../../contract/operations.ts'
import { PERSON_ROLES, TOKEN_HOLDER } from '../../kernel/person.ts'
import { roleRefusal } from './authorize.ts'

const rows = operationIds.map((id): readonly [string, Operation] => [id, OPERATIONS[id]])

test.each(rows)('5 %s refuses every role that its column does not name, with forbidden', (_id, operation) => {
  for (const role of PERSON_ROLES) {
    const mayCall = operation.roles === 'anyone' || operation.roles.includes(role)
    for (const isSeparated of [false, true]) {
      const refusal = roleRefusal(operation, { name: 'Wang', role, keyId: 'person-1' }, isSeparated)
      expect(refusal?.messages[0]?.code).toBe(mayCall ? undefined : 'forbidden')
    }
  }
})

test('5.2 the operator token resolves approvals until an owner key exists, and manages people never', () => {
  const isRefused = (operation: Operation, isSeparated: boolean) =>
    roleRefusal(operation, TOKEN_HOLDER, isSeparated) !== undefined
  expect([false, true].map((isSeparated) => isRefused(OPERATIONS.resolveApproval, isSeparated))).toEqual([false, true])
  expect(isRefused(OPERATIONS.addPerson, false)).toBe(true)
  const refused = rows.filter(([, operation]) => isRefused(operation, false)).map(([id]) => id)
  expect(refused).toEqual([
    'getConnection',
    'addConnection',
    'changeConnection',
    'removeConnection',
    'testConnection',
    'tryConnection',
    'changeRules',
    'releaseEmergencyStop',
    'changeSettings',
    'listPeople',
    'addPerson',
    'revokePerson',
  ])
})
