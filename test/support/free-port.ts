/** A port that nobody listens on; somebody else may take it before it is used. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that systems give to outgoing connections, of which a busy suite has thousands. */
const [FIRST, END] = [15_000, 32_000]
const TRIES = 100

export async function freePort(triesLeft = TRIES): Promise<number> {
  const port = randomInt(FIRST, END)
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch (failure) {
    if (triesLeft <= 1) throw failure
    return freePort(triesLeft - 1)
  }
  await once(probe.close(), 'close')
  return port
}
