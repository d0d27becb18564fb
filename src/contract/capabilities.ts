/** The capabilities, standard and ours, with what each extends and where its schema is published. */
import { EXTENSION_VERSION, UCP_VERSION } from './version.ts'

/** Reverse-domain prefix of our own capabilities; the host that publishes their schemas must match it. */
export const PREFIX = 'com.example.vending'

/** Where our schemas and their documentation are published by default. */
export const DEFAULT_SCHEMA_BASE = 'https://vending.example.com/schemas'

interface Standard {
  readonly kind: 'standard'
  /** Under `https://ucp.dev/<version>/specification/` and `…/schemas/`. */
  readonly spec: string
  readonly schema: string
  readonly extends?: readonly string[]
}

interface Extension {
  readonly kind: 'extension'
  readonly short: ExtensionShortName
  readonly extends: readonly string[]
}

export const EXTENSION_SHORT_NAMES = [
  'sku',
  'inventory',
  'location',
  'approval',
  'order',
  'pricing',
  'replenishment',
  'events',
] as const
export type ExtensionShortName = (typeof EXTENSION_SHORT_NAMES)[number]

const CATALOG = ['dev.ucp.shopping.catalog.search', 'dev.ucp.shopping.catalog.lookup'] as const
const ORDER = ['dev.ucp.shopping.order'] as const

export const CAPABILITIES = {
  'dev.ucp.shopping.catalog.search': {
    kind: 'standard',
    spec: 'shopping/catalog/search',
    schema: 'shopping/catalog_search',
  },
  'dev.ucp.shopping.catalog.lookup': {
    kind: 'standard',
    spec: 'shopping/catalog/lookup',
    schema: 'shopping/catalog_lookup',
  },
  'dev.ucp.shopping.checkout': { kind: 'standard', spec: 'shopping/checkout', schema: 'shopping/checkout' },
  'dev.ucp.shopping.fulfillment': {
    kind: 'standard',
    spec: 'shopping/extensions/fulfillment',
    schema: 'shopping/fulfillment',
    extends: ['dev.ucp.shopping.checkout'],
  },
  'dev.ucp.shopping.order': { kind: 'standard', spec: 'shopping/order', schema: 'shopping/order' },
  'dev.ucp.common.location.search': {
    kind: 'standard',
    spec: 'common/location/search',
    schema: 'common/location_search',
  },
  'dev.ucp.common.location.lookup': {
    kind: 'standard',
    spec: 'common/location/lookup',
    schema: 'common/location_lookup',
  },
  'com.example.vending.sku': {
    kind: 'extension',
    short: 'sku',
    extends: [...CATALOG, 'dev.ucp.shopping.checkout', ...ORDER],
  },
  'com.example.vending.inventory': { kind: 'extension', short: 'inventory', extends: CATALOG },
  'com.example.vending.location': {
    kind: 'extension',
    short: 'location',
    extends: ['dev.ucp.common.location.search', 'dev.ucp.common.location.lookup'],
  },
  'com.example.vending.approval': { kind: 'extension', short: 'approval', extends: ['dev.ucp.shopping.checkout'] },
  'com.example.vending.order': { kind: 'extension', short: 'order', extends: ORDER },
  'com.example.vending.pricing': { kind: 'extension', short: 'pricing', extends: ['dev.ucp.common.location.lookup'] },
  'com.example.vending.replenishment': { kind: 'extension', short: 'replenishment', extends: ORDER },
  'com.example.vending.events': { kind: 'extension', short: 'events', extends: ORDER },
} as const satisfies Record<string, Standard | Extension>

export type CapabilityName = keyof typeof CAPABILITIES

export const isCapability = (name: string): name is CapabilityName => Object.hasOwn(CAPABILITIES, name)

export const capabilityNames: readonly CapabilityName[] = Object.keys(CAPABILITIES).filter(isCapability)

/** Our capabilities have our version date, standard ones that of the protocol. */
export const versionOf = (name: CapabilityName): string =>
  CAPABILITIES[name].kind === 'standard' ? UCP_VERSION : EXTENSION_VERSION

const OFFICIAL = `https://ucp.dev/${UCP_VERSION}`

/** The documentation of a capability, and its JSON Schema. */
export function documentsOf(name: CapabilityName, schemaBase: string): { spec: string; schema: string } {
  const capability = CAPABILITIES[name]
  if (capability.kind === 'standard') {
    return {
      spec: `${OFFICIAL}/specification/${capability.spec}`,
      schema: `${OFFICIAL}/schemas/${capability.schema}.json`,
    }
  }
  return { spec: specUrl(capability.short, schemaBase), schema: schemaUrl(capability.short, schemaBase) }
}

export const schemaUrl = (short: ExtensionShortName | 'on_account', schemaBase: string): string =>
  `${schemaBase}/${EXTENSION_VERSION}/${short}.json`

/** Its documentation page. */
const specUrl = (short: ExtensionShortName | 'on_account', schemaBase: string): string =>
  `${schemaBase}/${EXTENSION_VERSION}/${short}.html`

const serviceDocuments = (service: string) => ({
  rest: {
    spec: `${OFFICIAL}/specification/overview`,
    schema: `${OFFICIAL}/services/${service}/rest.openapi.json`,
  },
  mcp: {
    spec: `${OFFICIAL}/specification/overview`,
    schema: `${OFFICIAL}/services/${service}/mcp.openrpc.json`,
  },
})

/** The `dev.ucp.*` services of the discovery profile, with the documents of each transport; REST comes first. */
export const SERVICES = {
  'dev.ucp.shopping': serviceDocuments('shopping'),
  'dev.ucp.common': serviceDocuments('common'),
} as const

/** The key of a pending approval in `actions`. */
export const APPROVAL_ACTION = 'com.example.vending.approval'

/** The only payment method: the supplier's account, without credentials. */
export const PAYMENT_HANDLER_NAME = 'com.example.vending.on_account'
export const PAYMENT_HANDLER_ID = 'supplier_account'
export const PAYMENT_TYPE = 'on_account'

/** Capabilities active in the responses of each group of operations. */
export const ACTIVE = {
  namespaces: ['com.example.vending.sku'],
  search: ['dev.ucp.shopping.catalog.search', 'com.example.vending.sku'],
  lookup: ['dev.ucp.shopping.catalog.lookup', 'com.example.vending.sku'],
  skus: ['com.example.vending.sku'],
  locationSearch: ['dev.ucp.common.location.search', 'com.example.vending.location'],
  locationLookup: ['dev.ucp.common.location.lookup', 'com.example.vending.location'],
  roster: ['com.example.vending.location'],
  slots: ['com.example.vending.location', 'com.example.vending.inventory'],
  inventory: ['com.example.vending.inventory'],
  checkout: [
    'dev.ucp.shopping.checkout',
    'dev.ucp.shopping.fulfillment',
    'com.example.vending.sku',
    'com.example.vending.approval',
  ],
  order: ['dev.ucp.shopping.order', 'com.example.vending.order', 'com.example.vending.sku'],
  pricing: ['com.example.vending.pricing', 'com.example.vending.approval'],
  replenishment: ['com.example.vending.replenishment'],
  approvals: ['com.example.vending.approval'],
  events: ['com.example.vending.events'],
  guardrails: ['com.example.vending.approval'],
  none: [],
} as const satisfies Record<string, readonly CapabilityName[]>

/** Added to catalog responses about a machine. */
export const MACHINE_EXTRA = ['com.example.vending.inventory'] as const satisfies readonly CapabilityName[]
