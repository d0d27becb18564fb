/** The two reference adapters as modules. Their first connections come from ACME_*; further accounts can be in VENDORS_FILE. */
import { hash } from 'node:crypto'
import { Type } from 'typebox'
import type { MachineCredentials, SupplyCredentials } from '../../config.ts'
import { text } from '../../lib/validator.ts'
import type { AdapterModule, CheckedSettings, ConnectionBasics } from '../adapter-module.ts'
import { ROLE_CAPABILITIES } from '../registry.ts'
import { settingsCheck, strict } from '../settings-check.ts'
import { httpUrl } from '../upstream/http-url.ts'
import { acmeMachine } from './machine.ts'
import { acmeSupply } from './supply.ts'

const SupplySettings = Type.Object({ url: httpUrl(), app_key: text('text'), app_secret: text('text') }, strict)
const MachineSettings = Type.Object({ url: httpUrl(), client_id: text('text'), client_secret: text('text') }, strict)

const URL_PROMPT = { path: 'url', question: 'Address of the API' } as const

/** The id of an account cannot be read from this, and two of them do not become the same. */
const accountOf = (url: string, id: string): string =>
  `${new URL(url).origin} ${hash('sha256', `vendops account ${id}`, 'hex').slice(0, 12)}`

/** The amounts of both are yuan or fen. */
function requireYuan<T>({ currency }: ConnectionBasics, result: CheckedSettings<T>): CheckedSettings<T> {
  if (currency === 'CNY') return result
  const problem = 'currency must be CNY: the prices of this vendor are yuan'
  return { ok: false, problems: [problem, ...(result.ok ? [] : result.problems)] }
}

export const ACME_SUPPLY: AdapterModule<SupplyCredentials> = {
  adapter: 'acme',
  role: 'supply',
  secrets: ['app_key', 'app_secret'],
  hosted: { files: [], account: ({ url, appKey }) => accountOf(url, appKey) },
  prompts: [URL_PROMPT, { path: 'app_key', question: 'App key' }, { path: 'app_secret', question: 'App secret' }],
  check(settings, connection) {
    const result = requireYuan(connection, settingsCheck(SupplySettings)(settings))
    if (!result.ok) return result
    const { url, app_key: appKey, app_secret: appSecret } = result.settings
    return { ok: true, settings: { url, appKey, appSecret } }
  },
  open: (settings, needs) => ({
    vendor: acmeSupply({ ...needs, ...settings }),
    capabilities: ROLE_CAPABILITIES.supply,
  }),
}

export const ACME_MACHINE: AdapterModule<MachineCredentials> = {
  adapter: 'acme',
  role: 'machine',
  secrets: ['client_id', 'client_secret'],
  hosted: { files: [], account: ({ url, clientId }) => accountOf(url, clientId) },
  prompts: [
    URL_PROMPT,
    { path: 'client_id', question: 'Client id' },
    { path: 'client_secret', question: 'Client secret' },
  ],
  check(settings, connection) {
    const result = requireYuan(connection, settingsCheck(MachineSettings)(settings))
    if (!result.ok) return result
    const { url, client_id: clientId, client_secret: clientSecret } = result.settings
    return { ok: true, settings: { url, clientId, clientSecret } }
  },
  open: (settings, needs) => ({
    vendor: acmeMachine({ ...needs, ...settings }),
    capabilities: ROLE_CAPABILITIES.machine,
  }),
}
