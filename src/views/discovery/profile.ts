/** The discovery profile: services, capabilities, namespaces, payment handlers. Pure. */
import {
  CAPABILITIES,
  capabilityNames,
  documentsOf,
  PAYMENT_HANDLER_ID,
  PAYMENT_HANDLER_NAME,
  PAYMENT_TYPE,
  schemaUrl,
  SERVICES,
  versionOf,
} from '../../contract/capabilities.ts'
import type { CapabilityName } from '../../contract/capabilities.ts'
import type { Profile, ProfileCapability } from '../../contract/shapes/discovery.ts'
import { EXTENSION_VERSION, UCP_VERSION } from '../../contract/version.ts'
import type { Registry } from '../../vendors/registry.ts'

export interface ProfileDeps {
  readonly endpoint: string
  readonly mcpEndpoint: string
  readonly schemaBase: string
  readonly vendors: Pick<Registry, 'registrations' | 'defaults'>
  readonly keys: Profile['keys']
}

/** The registry as callers see it: names, roles and capabilities. */
export const registryView = ({ registrations, defaults }: ProfileDeps['vendors']) => ({
  namespaces: registrations.map((entry) => ({ ...entry, capabilities: [...entry.capabilities] })),
  defaults: { ...defaults },
})

function capabilityView(name: CapabilityName, { schemaBase, vendors }: ProfileDeps): ProfileCapability {
  const row = CAPABILITIES[name]
  const parents: readonly string[] = 'extends' in row ? row.extends : []
  return {
    version: versionOf(name),
    ...documentsOf(name, schemaBase),
    ...(parents.length === 0 ? {} : { extends: parents.length === 1 ? (parents[0] as string) : [...parents] }),
    ...(name === 'com.example.vending.sku' ? { config: registryView(vendors) } : {}),
  }
}

export function discoveryProfile(deps: ProfileDeps): Profile {
  const { endpoint, mcpEndpoint, schemaBase } = deps
  const handlerSchema = schemaUrl('on_account', schemaBase)
  return {
    ucp: {
      version: UCP_VERSION,
      status: 'success',
      services: Object.fromEntries(
        Object.entries(SERVICES).map(([name, documents]) => [
          name,
          [
            { version: UCP_VERSION, transport: 'rest' as const, endpoint, ...documents.rest },
            { version: UCP_VERSION, transport: 'mcp' as const, endpoint: mcpEndpoint, ...documents.mcp },
          ],
        ]),
      ),
      capabilities: Object.fromEntries(capabilityNames.map((name) => [name, [capabilityView(name, deps)]])),
      payment_handlers: {
        [PAYMENT_HANDLER_NAME]: [
          {
            id: PAYMENT_HANDLER_ID,
            version: EXTENSION_VERSION,
            spec: handlerSchema.replace(/\.json$/, '.html'),
            schema: handlerSchema,
            available_instruments: [{ type: PAYMENT_TYPE }],
          },
        ],
      },
    },
    keys: deps.keys,
  }
}
