import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { text } from '../../lib/validator.ts'
import type { AdapterModule } from '../adapter-module.ts'
import { settingsCheck } from '../settings-check.ts'
import { configuredConnections } from './configured-connections.ts'
import { acmeConnections } from './connection.ts'
import { readConnections } from './read-connections.ts'

const SECRET = 'never-show-this'
const strict = { additionalProperties: false, expected: 'an object' }

/** A module that checks its settings and is never opened here. */
const module = (adapter: string, role: 'supply' | 'machine'): AdapterModule => ({
  adapter,
  role,
  secrets: ['token', 'order.smtp'],
  check: settingsCheck(
    Type.Object(
      {
        token: text('text without spaces', (token) => !token.includes(' ')),
        folder: Type.Optional(text('text')),
        order: Type.Optional(Type.Object({ smtp: text('an smtp URL', (url) => url.startsWith('smtp:')) }, strict)),
      },
      strict,
    ),
  ),
  open: () => {
    throw new Error('not opened')
  },
})
const ADAPTERS = [
  { ...module('price-list', 'supply'), formerName: 'sheet' },
  module('sheet', 'machine'),
  module('lynx', 'machine'),
]

const GOOD = { namespace: 'us-machine', adapter: 'lynx', token: { env: 'TOKEN' } }

function read(file: unknown, files: Record<string, string> = {}, currency = 'USD') {
  const texts: Record<string, string> = {
    '/etc/vendops/vendors.json': typeof file === 'string' ? file : JSON.stringify(file),
    ...files,
  }
  return readConnections(
    '/etc/vendops/vendors.json',
    { currency, timeZone: 'America/Chicago', connections: acmeConnections({ acmeSupply }) },
    {
      variables: { TOKEN: `${SECRET}\n`, EMPTY: '', SPACED: 'two words', SMTP: 'smtp://mail' },
      readFile(path) {
        const found = texts[path]
        if (found === undefined) throw new Error('ENOENT')
        return found
      },
    },
    ADAPTERS,
  )
}
const acmeSupply = { url: 'http://acme.example', appKey: 'k', appSecret: 's' }
const problemsOf = (...connections: unknown[]) => {
  const result = read({ connections })
  return result.ok ? [] : result.problems.map((problem) => problem.replace(/^VENDORS_FILE connections/, ''))
}
const oneProblem = (over: object) => problemsOf({ ...GOOD, ...over }).map((text) => text.replace(/^\[0\][^:]*: /, ''))

describe('VENDORS_FILE', () => {
  test('a connection has its namespace, its own zone or the deployment’s, and its settings with the secrets in place', () => {
    const result = read({
      connections: [
        GOOD,
        {
          ...GOOD,
          namespace: 'eu-machine',
          currency: 'USD',
          time_zone: 'Europe/Berlin',
          read_only: true,
          id_prefix: 'eu-',
        },
      ],
    })
    expect(result).toMatchObject({
      ok: true,
      connections: [
        {
          basics: { namespace: 'us-machine', currency: 'USD', timeZone: 'America/Chicago', isReadOnly: false },
          settings: { token: SECRET },
          idPrefix: '',
          folder: '/etc/vendops',
        },
        {
          basics: { namespace: 'eu-machine', currency: 'USD', timeZone: 'Europe/Berlin', isReadOnly: true },
          idPrefix: 'eu-',
        },
      ],
    })
  })

  test('one adapter name may serve both roles: the namespace decides', () => {
    const connections = ['a-supply', 'a-machine'].map((namespace) => ({ ...GOOD, adapter: 'sheet', namespace }))
    const result = read({ connections })
    expect(result.ok && result.connections.map((connection) => connection.module.role)).toEqual(['supply', 'machine'])
  })

  test('a secret is read from a file beside this one, without its last line end', () => {
    for (const [content, secret] of [
      [`${SECRET}\n`, SECRET],
      [`${SECRET}\r\n`, SECRET],
      [SECRET, SECRET],
      [`${SECRET}\n\n`, `${SECRET}\n`],
    ] as const) {
      const result = read(
        { connections: [{ ...GOOD, token: { file: 'keys/us' } }] },
        { '/etc/vendops/keys/us': content },
      )
      expect(result).toMatchObject({ ok: true, connections: [{ settings: { token: secret } }] })
    }
  })

  const WHOLE_FILE: readonly [string, unknown, string][] = [
    ['no JSON', '{"connections": [', 'VENDORS_FILE /etc/vendops/vendors.json is not JSON'],
    ['no list', { connections: {} }, 'VENDORS_FILE /etc/vendops/vendors.json must have a list "connections"'],
    [
      'another member',
      { connections: [], conections: [] },
      'VENDORS_FILE /etc/vendops/vendors.json has an unknown field "conections"',
    ],
    [
      'a name that was written twice',
      '{"connections": [{"read_only": true, "read_only": false}]}',
      'VENDORS_FILE /etc/vendops/vendors.json has the field "read_only" twice in one object',
    ],
  ]
  test.each(WHOLE_FILE)('%s makes the file invalid', (_name, file, problem) => {
    expect(read(file)).toEqual({ ok: false, problems: [problem] })
  })

  test('an adapter is found by its former name too, in its own role', () => {
    const names = ['price-list', 'sheet'].map((adapter, i) => ({ ...GOOD, adapter, namespace: `a${i}-supply` }))
    const result = read({ connections: [...names, { ...GOOD, adapter: 'sheet' }] })
    const found = result.ok ? result.connections.map(({ module: { adapter, role } }) => `${adapter} ${role}`) : result
    expect(found).toEqual(['price-list supply', 'price-list supply', 'sheet machine'])
    expect(oneProblem({ adapter: 'price-list' })).toEqual([
      'namespace must end in -supply: the adapter price-list has no machine role',
    ])
  })

  test('a file that is not there is a problem', () => {
    const facts = { currency: 'USD', timeZone: 'UTC', connections: [] }
    const readFile = () => {
      throw new Error('ENOENT')
    }
    expect(readConnections('gone.json', facts, { variables: {}, readFile })).toEqual({
      ok: false,
      problems: ['VENDORS_FILE gone.json cannot be read'],
    })
  })

  const BY_REFERENCE = 'token must be {"env": NAME} or {"file": PATH}: secrets are not written into this file'
  const CONNECTION: readonly [string, object, string][] = [
    ['a secret as text', { token: SECRET }, BY_REFERENCE],
    ['a secret with two references', { token: { env: 'TOKEN', file: 'x' } }, BY_REFERENCE],
    ['a secret with another kind of reference', { token: { vault: 'x' } }, BY_REFERENCE],
    ['a nested secret as text', { order: { smtp: 'smtp://u:p@h' } }, BY_REFERENCE.replace('token', 'order.smtp')],
    ['a variable that is not set', { token: { env: 'NOPE' } }, 'token names the variable NOPE, which is not set'],
    ['a variable that is empty', { token: { env: 'EMPTY' } }, 'token names the variable EMPTY, which is not set'],
    ['a secret file that is missing', { token: { file: 'gone' } }, 'token names the file gone, which cannot be read'],
    ['a secret that the adapter does not accept', { token: { env: 'SPACED' } }, 'token must be text without spaces'],
    ['a missing setting', { token: undefined }, 'token is missing'],
    ['an unknown key', { tokn: 1 }, 'has an unknown field "tokn"'],
    ['another currency', { currency: 'EUR' }, 'currency must be USD, the CURRENCY of this deployment'],
    ['no time zone', { time_zone: 'Mars/Base' }, 'time_zone must be an IANA time zone name'],
    ['read_only as text', { read_only: 'yes' }, 'read_only must be true or false'],
    ['an adapter that does not exist', { adapter: 'lynks' }, 'adapter must be one of price-list, sheet, lynx'],
    [
      'the wrong role',
      { namespace: 'us-supply' },
      'namespace must end in -machine: the adapter lynx has no supply role',
    ],
    ['no namespace', { namespace: undefined }, 'namespace is missing'],
    [
      'a namespace in capitals',
      { namespace: 'US-machine' },
      'namespace must be <name>-supply or <name>-machine, in small letters and digits',
    ],
    [
      'a prefix with a space',
      { id_prefix: 'a b' },
      'id_prefix must be up to 32 letters, digits, dots, hyphens and underscores',
    ],
    [
      'a prefix of a supplier',
      { adapter: 'sheet', namespace: 'us-supply', id_prefix: 'a' },
      'id_prefix is for machine platforms only',
    ],
  ]
  test.each(CONNECTION)('%s stops the start', (_name, over, problem) => {
    expect(oneProblem(over)).toEqual([problem])
  })

  test('a namespace is used once, also with those of ACME_*', () => {
    expect(problemsOf(GOOD, GOOD, { ...GOOD, adapter: 'sheet', namespace: 'acme-supply' })).toEqual([
      '[1] (us-machine): namespace is used twice',
      '[2] (acme-supply): namespace is used twice',
    ])
  })

  test('every problem of every connection is named at once, and no secret is', () => {
    const found = problemsOf(
      { ...GOOD, currency: 'EUR', time_zone: 'Mars/Base', token: SECRET, folder: 1, extra: true },
      7,
      { ...GOOD, namespace: 'b-machine', order: { smtp: { env: 'TOKEN' } } },
    )
    expect(found).toEqual([
      '[0] (us-machine): time_zone must be an IANA time zone name',
      '[0] (us-machine): currency must be USD, the CURRENCY of this deployment',
      `[0] (us-machine): ${BY_REFERENCE}`,
      '[0] (us-machine): has an unknown field "extra"',
      '[0] (us-machine): folder must be text',
      '[1]: must be an object',
      '[2] (b-machine): order.smtp must be an smtp URL',
    ])
    expect(found.join()).not.toContain(SECRET)
  })
})

describe('the connections of a configuration', () => {
  const config = { acmeSupply, acmeMachine: undefined, currency: 'CNY', timeZone: 'Asia/Shanghai' }

  test('5.5 staging has none, and does not even read the file', () => {
    const staging = { ...config, env: 'staging', vendorsFile: '/nowhere/vendors.json' } as const
    expect(configuredConnections(staging, {})).toEqual({ ok: true, connections: [] })
  })

  test('in live ACME_* come first, and a file that is missing is a problem', () => {
    const named = configuredConnections({ ...config, env: 'live', vendorsFile: undefined }, {})
    expect(named.ok && named.connections.map(({ basics }) => basics.namespace)).toEqual(['acme-supply'])
    expect(configuredConnections({ ...config, env: 'live', vendorsFile: '/nowhere/vendors.json' }, {})).toEqual({
      ok: false,
      problems: ['VENDORS_FILE /nowhere/vendors.json cannot be read'],
    })
  })
})

test('further ACME accounts can be in the file, where the deployment is in yuan', () => {
  const account = {
    namespace: 'acmetwo-supply',
    adapter: 'acme',
    url: 'https://acme.example',
    app_key: { env: 'K' },
    app_secret: { env: 'S' },
  }
  const readIn = (currency: string) =>
    readConnections(
      'v.json',
      { currency, timeZone: 'Asia/Shanghai', connections: [] },
      { variables: { K: 'key', S: 'secret' }, readFile: () => JSON.stringify({ connections: [account] }) },
    )
  expect(readIn('CNY')).toMatchObject({
    ok: true,
    connections: [{ settings: { url: 'https://acme.example', appKey: 'key', appSecret: 'secret' } }],
  })
  expect(readIn('USD')).toMatchObject({ ok: false, problems: [expect.stringContaining('currency must be CNY')] })
})
