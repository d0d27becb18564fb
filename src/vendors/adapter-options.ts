/** What every adapter over HTTP is given beside its credentials. */
import type { UpstreamOptions } from './upstream/client.ts'
import type { Pacing } from './upstream/retry.ts'

export interface AdapterOptions extends Omit<UpstreamOptions, 'secrets'>, Pick<Pacing, 'sleep' | 'random' | 'elapsed'> {
  /** Told of what the upstream sent and the adapter had to leave out, for the log. */
  readonly notice?: ((text: string) => void) | undefined
}

/** An adapter that holds connections. */
export interface Closable {
  close(): Promise<void>
}
