/** Connections to vendors: list, add, and try out files before they are used. */
import type { Connection } from '../../../contract/shapes/connection.ts'
import { type Command, YES } from '../../command.ts'
import { CommandFailure, EXIT, UsageError } from '../../exit.ts'
import { formatTime } from '../../format.ts'
import { parseWholeNumber } from '../../lookups.ts'
import { count } from '../../../kernel/text.ts'

const list: Command = {
  name: 'connections list',
  alias: 'connections',
  summary: 'connections to suppliers and machine platforms: last read, last failure, unreadable rows',
  csv: true,
  examples: [
    ['vendops connections', 'all connections with their health'],
    ['vendops connections --json | jq -e \'all(.connections[]; .state != "failing")\'', 'for monitoring'],
  ],
  async run(context) {
    const response = await context.client.listConnections()
    await context.writeJson(response)
    await context.writeTable(
      response.connections,
      [
        { title: 'CONNECTION', cell: ({ namespace }) => namespace },
        { title: 'STATE', cell: ({ state }) => state },
        { title: 'LAST READ', cell: ({ last_read_at }) => formatTime(last_read_at) },
        { title: 'LAST FAILURE', cell: ({ last_failure }) => formatTime(last_failure?.at) },
        { title: 'PACKS WAITING', cell: ({ waiting_packs }) => waiting_packs || undefined, as: 'number' },
        { title: 'UNREADABLE ROWS', cell: ({ refused_count }) => refused_count || undefined, as: 'number' },
      ],
      { none: 'no connections', remark: remarkOf },
    )
    if (response.connections.length === 0) return context.suggest('connect', 'adds a connection')
    const asking = response.connections.find(({ waiting_packs: waiting = 0 }) => waiting > 0)
    if (asking) return context.suggest(`connections packs ${asking.namespace}`, 'lists packs whose size has to be said')
    const platform = response.connections.find(({ capabilities }) => capabilities.includes('locations'))
    if (platform) context.suggest(`connections machines ${platform.namespace}`, 'lists its machines')
    else context.suggest('doctor', 'reads each connection once')
  },
}

const ROWS_NAMED = 5

function remarkOf({ state, last_failure: failure, refused_rows: rows, refused_count: total }: Connection): string {
  const named = rows
    .slice(0, ROWS_NAMED)
    .map(({ id, location, source, problem }) => `${[source, location, id].filter(Boolean).join(' ')}: ${problem}`)
  return [
    ...(state === 'failing' && failure ? [`${failure.code}: ${failure.content}`] : []),
    ...named,
    ...(total > named.length ? [`and ${count(total - named.length, 'more row')}`] : []),
  ].join('; ')
}

const machines: Command = {
  name: 'connections machines',
  summary: 'the machines that a platform knows, also those not registered here',
  csv: true,
  args: [{ name: 'connection' }],
  examples: [['vendops connections machines nayaxus-machine', 'their ids, to register them']],
  async run(context, args) {
    const response = await context.client.listPlatformLocations({ params: { namespace: args.arg('connection') } })
    await context.writeReply(response)
    await context.writeTable(
      response.locations,
      [
        { title: 'ID', cell: ({ id }) => id },
        { title: 'NAME', cell: ({ name }) => name, flexible: true },
        { title: 'TIME ZONE', cell: ({ timezone }) => timezone },
        { title: 'ADDRESS', cell: ({ address }) => address, flexible: true },
        { title: 'REGISTERED', cell: ({ registered }) => (registered ? 'yes' : 'no') },
      ],
      { none: 'no machines' },
    )
    const fresh = response.locations.find(({ registered }) => !registered)
    if (fresh) context.suggest(`machines add ${fresh.id} --name '${fresh.name}'`, 'registers a machine')
  },
}

const packs: Command = {
  name: 'connections packs',
  summary: 'packs of a price list whose size is not known, and to enter it',
  details: `Without a text it lists the products that cannot be ordered because their pack gives no certain number of units. With a
text and --contains it says the number, for every product with this text or only for those of --sku, which comes first. A text
without a number, such as CS, may differ from product to product: it needs --sku or --same-for-all.`,
  csv: true,
  args: [{ name: 'connection' }, { name: 'text', optional: true }],
  options: {
    contains: { kind: 'text', value: 'N', summary: 'units in the pack; 0 removes the answer' },
    sku: { kind: 'list', value: 'SKU', summary: 'only this product; repeatable' },
    'same-for-all': { kind: 'flag', summary: 'every pack with this text holds as many, also in later lists' },
    stated: { kind: 'flag', summary: 'what was answered, instead of what is open' },
  },
  examples: [
    ['vendops connections packs northwind-supply', 'packs whose size is not known'],
    ['vendops connections packs northwind-supply CS --contains 24 --same-for-all', 'every pack "CS" holds 24 units'],
    [
      "vendops connections packs northwind-supply '' --contains 12 --sku northwind-supply:4711",
      'the pack of one product, which has no text',
    ],
  ],
  async run(context, args) {
    const params = { namespace: args.arg('connection') }
    const text = args.optional('text')
    const contains = args.text('contains')
    const skus = args.list('sku')
    if ((text === undefined) !== (contains === undefined))
      throw new UsageError(text === undefined ? 'the pack text is missing' : '--contains <units> is missing')
    if (text === undefined && skus.length > 0) throw new UsageError('the pack text and --contains <units> are missing')
    const query = args.flag('stated') ? ({ state: 'stated' } as const) : {}
    const response =
      text === undefined || contains === undefined
        ? await context.client.listPacks({ params, query: { ...query, limit: PACKS_SHOWN } })
        : await context.client.statePack({
            params,
            body: {
              text,
              contains: parseWholeNumber(contains, 'units') || null,
              ...(skus.length > 0 && { sku_ids: [...skus] }),
              ...(args.flag('same-for-all') && { same_for_all: true }),
            },
          })
    await context.writeJson(response)
    if (text !== undefined) await context.writeLines([saidLine(text, Number(contains), skus)])
    await context.writeTable(
      response.packs,
      [
        { title: 'PACK', cell: (pack) => pack.text },
        { title: 'SKU', cell: ({ sku_id }) => sku_id },
        { title: 'TITLE', cell: ({ title }) => title, flexible: true },
        { title: 'PACK PRICE', cell: ({ pack_price: price }) => price, as: 'number', ifFilled: true },
        { title: 'EACH PRICE', cell: ({ each_price: price }) => price, as: 'number', ifFilled: true },
        { title: 'CONTAINS', cell: (pack) => pack.contains, as: 'number', ifFilled: true },
        { title: 'SAID BY', cell: (pack) => pack.stated_by, ifFilled: true },
      ],
      { none: args.flag('stated') ? 'nothing was answered' : 'nothing waits' },
    )
    const [next] = response.packs
    if (response.waiting_count > response.packs.length && !args.flag('stated'))
      await context.writeLines([`${count(response.waiting_count, 'product')} in all`])
    if (next && !args.flag('stated'))
      context.suggest(
        `connections packs ${params.namespace} '${next.text}' --contains N${/\d/.test(next.text) ? '' : ` --sku ${next.sku_id}`}`,
        'says how many units are in the pack',
      )
  },
}

function saidLine(text: string, contains: number, skus: readonly string[]): string {
  const pack = [
    text === '' ? 'the pack' : `the pack "${text.trim()}"`,
    ...(skus.length > 0 ? [`of ${skus.join(', ')}`] : []),
  ]
  return contains === 0 ? `taken back: ${pack.join(' ')}` : `${pack.join(' ')} holds ${count(contains, 'unit')}`
}

/** The most that one page holds. */
const PACKS_SHOWN = 100

const connect: Command = {
  name: 'connect',
  summary: 'add or change a connection to a supplier or a machine platform',
  details: `Asks what the connection needs, reads the vendor once and lets the running service keep it, as the console does. Only an
owner may: log in with an owner's key first (vendops login). A connection that is there already is changed. Secrets are typed
without being shown; in a script --set names the variable or the file of this computer that holds them.
With --file the connection is written to a file for VENDORS_FILE instead, on the server, without the service: the file then
names where its secrets are. What a file sets wins and cannot be changed otherwise.`,
  args: [{ name: 'connection', optional: true }],
  options: {
    adapter: { kind: 'text', value: 'NAME', summary: 'the adapter' },
    set: { kind: 'list', value: 'SETTING=VALUE', summary: 'a setting, e.g. order.via=email or token=env:TOKEN' },
    bring: { kind: 'list', value: 'KIND=PATH', summary: 'a file to upload, e.g. price_list=list.xlsx' },
    'read-only': { kind: 'flag', summary: 'never place orders or change prices through this connection' },
    prefix: { kind: 'text', value: 'TEXT', summary: 'put before the machine ids of the platform (id_prefix)' },
    file: { kind: 'text', value: 'PATH', summary: 'write to this file instead of asking the service' },
    yes: { ...YES, summary: 'also keep it when the test read fails' },
  },
  examples: [
    ['vendops connect', 'asks for everything'],
    ['vendops connect depot-supply --adapter price-list --bring price_list=list.xlsx', 'a price list, from a script'],
    ['vendops connect depot-supply --set order.lead_days=2', 'changes one setting'],
    [
      'vendops connect acmetwo-supply --file vendors.json --adapter acme --set url=https://api.example.com --set app_key=env:KEY --set app_secret=file:secret',
      'into a file, on the server',
    ],
  ],
  async run(context, args) {
    const file = args.text('file')
    const given = {
      namespace: args.optional('connection'),
      adapter: args.text('adapter'),
      settings: args.list('set').map((text) => parsePair('set', text)),
      isReadOnly: args.flag('read-only'),
      idPrefix: args.text('prefix'),
      acceptsFailedRead: args.flag('yes'),
    }
    const files = args.list('bring').map((text) => parsePair('bring', text))
    if (file === undefined) {
      const { storeConnection } = await import('../../connections/store-connection.ts')
      return storeConnection(context, { ...given, files })
    }
    if (files.length > 0) throw new UsageError('--bring uploads to the service; with --file name the file with --set')
    const { addConnection } = await import('../../connections/add-connection.ts')
    return addConnection(context, { ...given, file })
  },
}

function parsePair(option: 'set' | 'bring', text: string): readonly [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError(`--${option} ${text}: write ${option === 'set' ? 'SETTING=VALUE' : 'KIND=PATH'}`)
  return [text.slice(0, at), text.slice(at + 1)]
}

const importCommand: Command = {
  name: 'import',
  summary: 'show what a price list or an audit file would become, without using it',
  details: `Reads the file with the settings of a connection, of VENDORS_FILE or added by an owner. Nothing is stored or sent. The
service reads its files by itself, from the place that the connection names, or as they were uploaded.`,
  args: [{ name: 'file' }],
  options: {
    as: { kind: 'text', value: 'CONNECTION', summary: 'the connection whose settings apply' },
    'dry-run': { kind: 'flag', summary: 'required: the service itself reads the files' },
  },
  examples: [
    ['vendops import list.csv --as vistar-supply --dry-run', 'each row with its price, or why it is left out'],
  ],
  async run(context, args) {
    const namespace = args.text('as')
    if (namespace === undefined) throw new UsageError('--as <connection> is missing')
    if (!args.flag('dry-run'))
      throw new CommandFailure(
        'only --dry-run is possible: the service reads files from the place its connection names',
      )
    const { previewFile } = await import('../../connections/preview-file.ts')
    const preview = await previewFile(context.env, namespace, args.arg('file'))
    await context.writeJson(preview)
    for (const { title, columns, rows } of preview.tables) {
      await context.writeLines([context.style.bold(title)])
      await context.writeTable(
        rows,
        columns.map((column, i) => ({ title: column.toUpperCase(), cell: (row: readonly string[]) => row[i] })),
      )
    }
    if (preview.leftOut.length > 0) {
      await context.writeLines([context.style.bold('left out')])
      await context.writeTable(preview.leftOut, [
        { title: 'WHERE', cell: ({ where }) => where },
        { title: 'REASON', cell: ({ reason }) => reason, flexible: true },
      ])
    }
    await context.writeLines([...(preview.notes ?? []).map((note) => `! ${note}`), preview.summary])
    return preview.isRefused ? EXIT.failed : EXIT.ok
  },
}

export const CONNECTIONS: readonly Command[] = [list, machines, packs]
export const CONNECTION_TOOLS: readonly Command[] = [connect, importCommand]
