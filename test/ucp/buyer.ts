/** A vendops in live that buys from a UCP merchant, in this process on a free port: real HTTP, real adapter, own database. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { serve } from '../../src/main.ts'
import type { ServeOptions } from '../../src/main.ts'
import { configuredConnections } from '../../src/vendors/connections/configured-connections.ts'
import { RULES, TOKEN } from '../support/service.ts'
import type { Json } from '../support/service.ts'
import { databaseUrl } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'

export interface BuyerOptions {
  readonly connection: Readonly<Record<string, unknown>>
  readonly variables?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly rules?: object
  readonly serve?: ServeOptions
}

export interface Answer {
  readonly status: number
  readonly body: Json
}

/** The namespace of the merchant. */
export const SHOP = 'shop-supply'

export async function startBuyer({
  connection,
  variables = {},
  env = {},
  rules = RULES,
  serve: options,
}: BuyerOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-buyer-'))
  const vendorsFile = join(folder, 'vendors.json')
  const guardrails = join(folder, 'guardrails.json')
  writeFileSync(vendorsFile, JSON.stringify({ connections: [{ namespace: SHOP, adapter: 'ucp', ...connection }] }))
  writeFileSync(guardrails, JSON.stringify(rules))
  const port = await freePort()
  const read = readConfig(
    {
      VENDOPS_ENV: 'live',
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      DATABASE_URL: await databaseUrl(),
      DATA_DIR: folder,
      OPERATOR_TOKEN: TOKEN,
      GUARDRAILS_FILE: guardrails,
      VENDORS_FILE: vendorsFile,
      LOG_LEVEL: 'silent',
      RATE_LIMIT_PER_MINUTE: '0',
      ...env,
    },
    () => true,
  )
  if (!read.ok) throw new Error(read.problems.join('; '))
  const connections = configuredConnections(read.config, variables)
  if (!connections.ok) throw new Error(connections.problems.join('; '))
  const running = await serve(read.config, connections.connections, undefined, options)
  onTestFinished(async () => {
    await running.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return { ...running, call: caller(port, TOKEN) }
}

export const caller =
  (port: number, token: string) =>
  async (method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await fetch(`http://127.0.0.1:${port}/ucp/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: await answer.json() }
  }

export const SHIP_TO = {
  methods: [
    {
      type: 'shipping',
      destinations: [
        {
          street_address: '1 Main St',
          address_locality: 'Springfield',
          postal_code: '62704',
          first_name: 'Ann',
          phone_number: '138',
        },
      ],
    },
  ],
}
