/** Operations of the contract: settings of the deployment. */
import { ACTIVE } from '../capabilities.ts'
import { type OperationRows, operationRows } from '../operation.ts'
import { ROLES } from '../roles.ts'
import { Settings, SettingsRequest } from '../shapes/settings.ts'

const COMMON = { section: '8', tag: 'Settings', capabilities: ACTIVE.none } as const

export const settingsOperations = operationRows(COMMON, {
  getSettings: {
    method: 'GET',
    path: '/settings',
    summary: 'Returns delivery address, currency, time zone, language and costs of driving, with the latest changes.',
    roles: ROLES.writers,
    returns: Settings,
  },
  changeSettings: {
    method: 'PUT',
    path: '/settings',
    summary: 'Sets what the environment leaves out; the others stay as they are.',
    roles: ROLES.owners,
    write: { guard: 'none' },
    body: SettingsRequest,
    returns: Settings,
    codes: ['not_editable'],
  },
} as const satisfies OperationRows)
