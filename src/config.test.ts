import { describe, expect, test } from 'vitest'
import { configWarnings, readConfig } from './config.ts'
import { DEFAULT_PLAN_PARAMS } from './kernel/plan-params.ts'

const read = (env: Record<string, string>) => readConfig(env, () => false)
const problems = (env: Record<string, string>) => {
  const result = read(env)
  return result.ok ? [] : result.problems
}
const LIVE = { VENDOPS_ENV: 'live', OPERATOR_TOKEN: 'a-token-of-16-chars' }

describe('the environment is validated as a whole', () => {
  test('nothing set: staging on 127.0.0.1:8080 with SQLite, demo rules and simulated purchasing', () => {
    const result = read({})
    expect(result.ok && result.config).toMatchObject({
      env: 'staging',
      host: '127.0.0.1',
      port: 8080,
      publicUrl: 'http://localhost:8080',
      databaseUrl: 'sqlite:./data/vendops.db',
      guardrailsFile: undefined,
      timeZone: 'Asia/Shanghai',
      currency: 'CNY',
      upstreamTimeoutMs: 10_000,
      syncIntervalMs: 3_600_000,
      ledgerPollIntervalMs: 300_000,
      simulatedPurchasing: true,
      statedLeadDays: 2,
      planParams: DEFAULT_PLAN_PARAMS,
      rateLimitPerMinute: 3000,
      retentionDays: 400,
      trustedProxy: [],
    })
  })

  test('every problem is named at once', () => {
    const found = problems({
      VENDOPS_ENV: 'production',
      PORT: '99999',
      PUBLIC_URL: 'ftp://x',
      OPERATOR_TOKEN: 'short',
      DATABASE_URL: 'mysql://x',
      TIMEZONE: 'Mars/Olympus',
      CURRENCY: 'RMB',
      ACME_SUPPLY_URL: 'http://supplier.example',
      PLAN_PARAMS: '{"cover_days": "7", "nonsense": 1}',
      DEFAULT_DESTINATION: '[]',
      RATE_LIMIT_PER_MINUTE: '-1',
      RETENTION_DAYS: '0',
      TRUSTED_PROXY: '10.0.0.1, proxy.example',
      LOG_LEVEL: 'loud',
      VENDOPS_CLOCK: 'yesterday',
    })
    for (const name of [
      'VENDOPS_ENV',
      'PORT',
      'PUBLIC_URL',
      'OPERATOR_TOKEN',
      'DATABASE_URL',
      'TIMEZONE',
      'CURRENCY',
      'ACME_SUPPLY_APP_KEY',
      'ACME_SUPPLY_APP_SECRET',
      'PLAN_PARAMS cover_days',
      'PLAN_PARAMS has',
      'DEFAULT_DESTINATION',
      'RATE_LIMIT_PER_MINUTE',
      'RETENTION_DAYS',
      'TRUSTED_PROXY',
      'LOG_LEVEL',
      'VENDOPS_CLOCK',
    ])
      expect(
        found.some((problem) => problem.startsWith(name)),
        name,
      ).toBe(true)
  })

  test('each problem says what the variable must be', () => {
    expect(
      problems({
        PORT: '80a',
        LOG_LEVEL: 'loud',
        SIMULATED_PURCHASING: 'yes',
        STATED_LEAD_DAYS: '61',
        DEFAULT_DESTINATION: '{"postal_code": 1, "street": "x"}',
        PICKUP_HOUR_FROM: '20',
        VISIT_COST_FEN: '-1',
      }),
    ).toEqual([
      'PORT must be a whole number from 0 to 65535',
      'SIMULATED_PURCHASING must be true or false',
      'DEFAULT_DESTINATION has an unknown field "street"',
      'DEFAULT_DESTINATION postal_code must be text',
      'STATED_LEAD_DAYS must be a number from 0 to 60',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
      'PICKUP_HOUR_FROM must be before PICKUP_HOUR_TO',
      'VISIT_COST_FEN must be a whole number from 0 to 1000000000',
    ])
    expect(problems({ PLAN_PARAMS: '7', TRUSTED_PROXY: 'x' })).toEqual([
      'TRUSTED_PROXY must be IP addresses or networks such as 10.0.0.0/8, separated by commas',
      'PLAN_PARAMS must be a JSON object',
    ])
  })

  test('webhooks, agents and trips: wrong values are named, and webhooks need keys to sign with', () => {
    const wrong = {
      MCP_TOOLSETS: 'everything',
      MCP_READ_ONLY: 'maybe',
      WEBHOOK_TARGETS: '{}',
      KM_COST_FEN: '-1',
      DEPOT: 'here',
      STOP_MINUTES: 'x',
      TRIP_MAX_STOPS: '0',
      TRIP_MAX_UNITS: '0',
      TRIP_MAX_MINUTES: '0',
      SERVICE_WEEKDAYS: 'someday',
    }
    const named = problems(wrong).map((problem) => problem.split(' ')[0])
    expect(new Set(named)).toEqual(new Set(Object.keys(wrong)))
    const target = JSON.stringify([{ id: 'shop', url: 'https://shop.example.com/hook', kinds: ['sale'] }])
    expect(problems({ WEBHOOK_TARGETS: target })).toEqual([
      'SIGNING_KEYS_FILE is required where WEBHOOK_TARGETS are set: vendops keys new',
    ])
    expect(problems({ WEBHOOK_TARGETS: target, SIGNING_KEYS_FILE: '/keys.json', NOTIFY_FILE: '/n.json' })).toEqual([])
  })

  test('a variable set to nothing counts as not set, and URLs lose their last slash', () => {
    const result = read({ PORT: '', PUBLIC_URL: 'https://vending.example.com/', STATED_LEAD_DAYS: '1.5' })
    expect(result.ok && result.config).toMatchObject({
      port: 8080,
      publicUrl: 'https://vending.example.com',
      statedLeadDays: 1.5,
    })
  })

  test('no problem repeats a secret', () => {
    expect(problems({ OPERATOR_TOKEN: 'hunter2' }).join()).not.toContain('hunter2')
  })

  test('live needs a token of at least 16 characters and a rules file, and does not allow a set clock', () => {
    expect(problems({ VENDOPS_ENV: 'live' })).toEqual(['OPERATOR_TOKEN is required in live'])
    expect(problems({ ...LIVE, VENDOPS_CLOCK: '2026-09-10T08:00:00+08:00' })).toEqual([
      'VENDOPS_CLOCK is not allowed in live',
    ])
    const result = read(LIVE)
    expect(result.ok && [result.config.guardrailsFile, result.config.simulatedPurchasing]).toEqual([
      './guardrails.json',
      false,
    ])
  })

  test('5.5 staging takes no vendor credentials, even where the variables are set', () => {
    const acme = { ACME_SUPPLY_URL: 'http://s.example', ACME_SUPPLY_APP_KEY: 'k', ACME_SUPPLY_APP_SECRET: 's' }
    const staging = read(acme)
    expect(staging.ok && staging.config.acmeSupply).toBeUndefined()
    const live = read({ ...LIVE, ...acme })
    expect(live.ok && live.config.acmeSupply).toEqual({ url: 'http://s.example', appKey: 'k', appSecret: 's' })
  })

  test('OAuth in live needs an https address', () => {
    const insecure = { ...LIVE, OAUTH: 'on', PUBLIC_URL: 'http://vend.example.com' }
    expect(problems(insecure)).toEqual([expect.stringMatching(/^PUBLIC_URL must be an https origin/)])
    expect(problems({ ...insecure, PUBLIC_URL: 'https://vend.example.com' })).toEqual([])
    expect(problems({ OAUTH: 'on' })).toEqual([])
    expect(problems({ OAUTH: 'yes' })).toHaveLength(1)
  })

  test('the reference vendors sell in yuan: with another currency the service does not start', () => {
    const acme = { ACME_SUPPLY_URL: 'http://s.example', ACME_SUPPLY_APP_KEY: 'k', ACME_SUPPLY_APP_SECRET: 's' }
    expect(problems({ ...acme, CURRENCY: 'USD' })).toEqual([
      'CURRENCY must be CNY where ACME_SUPPLY_* or ACME_MACHINE_* are set: their amounts are yuan',
    ])
    expect(problems({ ...acme, CURRENCY: 'CNY' })).toEqual([])
    const dollars = read({ CURRENCY: 'USD' })
    expect(dollars.ok && dollars.config.currency).toBe('USD')
    expect(problems({ CURRENCY: 'usd' })).toEqual([
      'CURRENCY must be an ISO 4217 currency code such as CNY, USD or EUR',
    ])
  })

  test('a missing vendor variable is named once', () => {
    const names = 'ACME_MACHINE_URL, ACME_MACHINE_CLIENT_ID, ACME_MACHINE_CLIENT_SECRET belong together'
    expect(problems({ ...LIVE, ACME_MACHINE_CLIENT_ID: 'c', ACME_MACHINE_CLIENT_SECRET: 's' })).toEqual([
      `ACME_MACHINE_URL is missing; ${names}`,
    ])
  })

  test('the currency is one of ISO 4217, yuan unless set; ACME_* are in yuan only', () => {
    const currency = (env: Record<string, string>) => {
      const result = read(env)
      return result.ok ? result.config.currency : result.problems
    }
    expect([currency({}), currency({ CURRENCY: 'USD' })]).toEqual(['CNY', 'USD'])
    for (const wrong of ['usd', 'XYZ', 'XAU'])
      expect(currency({ CURRENCY: wrong })).toEqual([
        'CURRENCY must be an ISO 4217 currency code such as CNY, USD or EUR',
      ])
    const acme = { ACME_SUPPLY_URL: 'http://s.example', ACME_SUPPLY_APP_KEY: 'k', ACME_SUPPLY_APP_SECRET: 's' }
    expect(currency({ ...LIVE, ...acme, CURRENCY: 'USD' })).toEqual([
      'CURRENCY must be CNY where ACME_SUPPLY_* or ACME_MACHINE_* are set: their amounts are yuan',
    ])
    expect(currency({ ...LIVE, ...acme, CURRENCY: 'CNY' })).toBe('CNY')
  })

  test('a toolset that does not exist, or a flag that is no flag, stops the start', () => {
    for (const [name, value] of [
      ['MCP_TOOLSETS', 'nonsense'],
      ['MCP_TOOLSETS', 'catalog,nonsense'],
      ['MCP_READ_ONLY', 'maybe'],
    ] as const) {
      const read = readConfig({ [name]: value }, () => false)
      expect(read.ok ? [] : read.problems).toEqual([expect.stringContaining(name)])
    }
  })

  test('TRUSTED_PROXY takes addresses and networks, and never every address', () => {
    const proxies = read({ TRUSTED_PROXY: '10.0.0.0/8, 192.0.2.1,::1, fd00::/8' })
    expect(proxies.ok && proxies.config.trustedProxy).toEqual(['10.0.0.0/8', '192.0.2.1', '::1', 'fd00::/8'])
    for (const wrong of ['0.0.0.0/0', '::/0', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0', 'loopback', 'true', '10.0.0.1/'])
      expect(problems({ TRUSTED_PROXY: wrong })[0], wrong).toMatch(/^TRUSTED_PROXY must be/)
  })

  test('warns of a HOST that others can reach without a trusted proxy', () => {
    const warnings = (env: Record<string, string>) => {
      const result = read(env)
      return result.ok ? configWarnings(result.config) : []
    }
    for (const HOST of ['127.0.0.1', 'localhost', '::1', '127.1.2.3']) expect(warnings({ HOST })).toEqual([])
    for (const HOST of ['0.0.0.0', '::', '192.0.2.1', 'vending.example'])
      expect(warnings({ HOST })).toEqual([expect.stringContaining('traffic is not encrypted')])
    expect(warnings({ HOST: '0.0.0.0', TRUSTED_PROXY: '10.0.0.1' })).toEqual([])
  })

  test('in live, webhooks need a PUBLIC_URL that is an https origin; without webhooks another one is a warning', () => {
    const live = { VENDOPS_ENV: 'live', OPERATOR_TOKEN: 'a-long-enough-token' }
    const webhooks = {
      WEBHOOK_TARGETS: JSON.stringify([{ id: 'shop', url: 'https://shop.example.com/hook', kinds: ['sale'] }]),
      SIGNING_KEYS_FILE: '/keys.json',
    }
    const warnings = (env: Record<string, string>) => {
      const result = read(env)
      return result.ok ? configWarnings(result.config) : result.problems
    }
    const wrong = ['http://vend.example.com', 'https://vend.example.com/path', 'https://vend.example.com/?a=1', '']
    for (const PUBLIC_URL of wrong) {
      expect(problems({ ...live, ...webhooks, PUBLIC_URL })).toEqual([
        expect.stringMatching(/^PUBLIC_URL must be an https/),
      ])
      expect(warnings({ ...live, PUBLIC_URL })).toEqual([expect.stringContaining('is not an https origin')])
    }
    const right = { PUBLIC_URL: 'https://vend.example.com/' }
    expect(problems({ ...live, ...webhooks, ...right })).toEqual([])
    expect(warnings({ ...live, ...right })).toEqual([])
    // Staging signs under whatever address it has.
    expect(problems(webhooks)).toEqual([])
    expect(warnings({})).toEqual([])
  })
})
