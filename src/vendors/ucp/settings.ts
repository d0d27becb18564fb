/** The settings of a merchant that speaks UCP. */
import { type Static, Type } from 'typebox'
import { integer, oneOf } from '../../lib/validator.ts'
import { type Partly, filledText, flag, secret, settingsCheck, strict } from '../settings-check.ts'
import { catalogProblems, CatalogSettings } from '../sheet/settings.ts'
import { httpUrl } from '../upstream/http-url.ts'

const optional = Type.Optional
/** An empty list means none. */
const texts = () => Type.Array(filledText(), { expected: 'a list of texts' })

const Settings = Type.Object(
  {
    url: httpUrl(),
    /** Ours, as merchants read it. */
    profile: httpUrl(),
    api_key: optional(secret()),
    bearer: optional(secret()),
    transport: optional(oneOf(['rest', 'mcp'])),
    mode: optional(oneOf(['complete', 'handoff'])),
    /** The id of the merchant's payment handler. */
    handler: optional(filledText()),
    instrument: optional(
      Type.Object(
        {
          id: filledText(),
          type: filledText(),
          credential: optional(
            Type.Object({ type: filledText(), token: secret() }, { additionalProperties: true, expected: 'an object' }),
          ),
        },
        { additionalProperties: true, expected: 'an object' },
      ),
    ),
    /** Absent, or without any list: everything that the merchant lists. Lists that are all empty: nothing. */
    assortment: optional(
      Type.Object(
        {
          ids: optional(texts()),
          queries: optional(texts()),
          categories: optional(texts()),
          /** Sent with every search, for merchants with filters of their own. */
          filters: optional(Type.Record(Type.String(), Type.Unknown(), { expected: 'an object' })),
        },
        strict,
      ),
    ),
    /** A price list, for merchants without a catalog. */
    catalog: optional(CatalogSettings),
    units: optional(
      Type.Record(Type.String(), Type.Object({ contains: integer(2, 10_000) }, strict), { expected: 'an object' }),
    ),
    /** The id or title of the delivery option; absent: the cheapest. */
    delivery: optional(filledText()),
    /** For merchants that take no address. */
    delivers_to_account: flag(),
  },
  strict,
)

export type UcpSettings = Static<typeof Settings>

/** Members that hold secrets. */
export const SECRETS = ['api_key', 'bearer', 'instrument.credential.token'] as const

export const checkSettings = settingsCheck(Settings, problemsOf)

function problemsOf(settings: Partly<UcpSettings>): readonly string[] {
  const { mode = 'complete', instrument, handler, api_key: apiKey, bearer, assortment, catalog } = settings
  return [
    ...(apiKey !== undefined && bearer !== undefined ? ['api_key and bearer exclude each other'] : []),
    ...(mode === 'complete' && !instrument ? ['instrument is missing: without it only mode handoff is possible'] : []),
    ...(mode === 'handoff' && (instrument || handler !== undefined)
      ? ['instrument and handler are for mode complete only: in a hand-off a person pays']
      : []),
    ...(instrument && 'handler_id' in instrument ? ['instrument.handler_id is set by handler'] : []),
    ...(assortment && catalog ? ['assortment and catalog exclude each other'] : []),
    ...(catalog ? catalogProblems(catalog) : []),
  ]
}
