/** The staging service as a newcomer starts it, in this process on a free port: real HTTP, real adapters, simulated world. */
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { serve } from '../../src/main.ts'

export const freePort = () =>
  new Promise<number>((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => done(port))
    })
  })

export async function startStaging(options: {
  readonly folder: string
  readonly env?: Readonly<Record<string, string>>
}) {
  const port = await freePort()
  const read = readConfig(
    {
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      DATABASE_URL: `sqlite:${join(options.folder, 'data', 'vendops.db')}`,
      LOG_LEVEL: 'silent',
      ...options.env,
    },
    () => false,
  )
  if (!read.ok) throw new Error(read.problems.join('; '))
  const running = await serve(read.config, [])
  onTestFinished(() => running.stop())
  return { ...running, port }
}
