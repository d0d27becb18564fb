/** The little of autocannon that the harness uses. */
declare module 'autocannon' {
  interface Request {
    readonly method?: string
    readonly path?: string
    readonly body?: string
    readonly setupRequest?: (request: object) => object
  }
  interface Options {
    readonly url: string
    readonly connections: number
    readonly amount: number
    readonly headers?: Readonly<Record<string, string>>
    readonly requests: readonly Request[]
  }
  export default function autocannon(options: Options): Promise<{ readonly non2xx: number; readonly errors: number }>
}
