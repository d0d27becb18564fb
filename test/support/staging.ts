/** The staging service as a newcomer starts it, in this process on a free port: real HTTP, real adapters, simulated world. */
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { serve } from '../../src/main.ts'
import { freePort } from './free-port.ts'

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
