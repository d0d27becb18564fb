/** What every adapter over HTTP gets besides its credentials. */
import type { UpstreamOptions } from './upstream/client.ts'
import type { Pacing } from './upstream/retry.ts'

export interface AdapterOptions extends Omit<UpstreamOptions, 'secrets'>, Pick<Pacing, 'sleep' | 'random' | 'elapsed'> {
  /** Called for the log when the adapter leaves out something that the upstream sent. */
  readonly notice?: ((text: string) => void) | undefined
}

/** An adapter that holds connections. */
export interface Closable {
  close(): Promise<void>
}
