/** The service as a process of its own that ends, without any warning, at the place KILL_AT names. */
import { onCheckpoint } from '../../src/capabilities/checkout/checkpoint.ts'
import { main } from '../../src/main.ts'

const end = process.env['KILL_AT']
onCheckpoint((at) => {
  if (at === end) process.kill(process.pid, 'SIGKILL')
})
await main()
