import { Agent, buildConnector } from 'undici'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { scriptedUpstream } from '../../test/contracts/scripted-upstream.ts'
import type { ScriptedUpstream } from '../../test/contracts/scripted-upstream.ts'
import { exchange } from './exchange.ts'

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('one request and its reply', () => {
  let server: ScriptedUpstream
  let agent: Agent
  beforeEach(async () => {
    server = await scriptedUpstream(() => ({ fine: true }))
    const connect = buildConnector({})
    // The connection comes, but late.
    agent = new Agent({ connect: (options, done) => void setTimeout(() => connect(options, done), 60) })
  })
  afterEach(async () => {
    await agent.destroy()
    await server.close()
  })
  const post = (timeoutMs: number, signal?: AbortSignal) =>
    exchange(agent, { origin: server.url, path: '/orders', method: 'POST', body: '{}' }, timeoutMs, signal)

  test('given up before the connection stood: reported as not sent, and never sent afterwards', async () => {
    expect(await post(20)).toMatchObject({ sent: false })
    await wait(120)
    expect(server.received).toHaveLength(0)
  })

  test('stopped before the connection stood: the same', async () => {
    const stopping = new AbortController()
    const asked = post(5_000, stopping.signal)
    stopping.abort()
    expect(await asked).toMatchObject({ sent: false })
    await wait(120)
    expect(server.received).toHaveLength(0)
  })

  test('a connection that comes late but in time is used', async () => {
    expect(await post(5_000)).toMatchObject({ status: 200 })
    expect(server.received).toHaveLength(1)
  })
})
