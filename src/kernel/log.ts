/** The log of the service: JSON lines with fields and one short sentence. Never a secret. */
export interface Log {
  info(fields: object, sentence: string): void
  warn(fields: object, sentence: string): void
  error(fields: object, sentence: string): void
  debug(fields: object, sentence: string): void
}

export const silentLog: Log = { info() {}, warn() {}, error() {}, debug() {} }
