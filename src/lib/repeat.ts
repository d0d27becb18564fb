/** Work that is repeated, each time a while after it ended. Failures are told and do not end it. */
export interface Repeated {
  start(this: void): void
  close(this: void): void
}

export function repeated(everyMs: number, work: () => Promise<void>, onFailure: (err: unknown) => void): Repeated {
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  function start(): void {
    clearTimeout(timer)
    if (isClosed) return
    timer = setTimeout(() => void work().catch(onFailure).finally(start), everyMs)
    timer.unref()
  }
  return {
    start,
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
