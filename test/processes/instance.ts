/** The service as a process of its own that ends, without any warning, at the place KILL_AT names. */
import { flushCompileCache } from 'node:module'
import { main } from '../../src/main.ts'

const end = process.env['KILL_AT']
await main({
  onCheckpoint: (at) => {
    if (at === end) process.kill(process.pid, 'SIGKILL')
  },
})
// A killed process writes nothing.
flushCompileCache()
