/** Versions of the API are dates. A breaking change moves the date. */
import manifest from '../../package.json' with { type: 'json' }

/** The protocol's release: in every envelope and on every standard capability. */
export const UCP_VERSION = '2026-08-25'

/** Our API and extension capabilities. */
export const EXTENSION_VERSION = '2026-09-10'

/** Prefix of every path except discovery and sign-in. */
export const URL_PREFIX = '/ucp/v1'

/** Where MCP hosts post their messages. */
export const MCP_PATH = '/ucp/mcp'

/** Of this program, as it introduces itself to people and other programs. */
export const PRODUCT_VERSION: string = manifest.version
