/** Brings what is kept on the device onto a page, and reads the day again while the line is up. */
import { useEffect, useState } from 'preact/hooks'
import { nowMs } from '../../../lib/text/format.ts'
import { onEvents } from '../../../lib/service/live.ts'
import { person } from '../../../lib/service/me.ts'
import { day, loadDay, refreshDay } from './day.ts'
import { loadPresses } from './presses.ts'
import { startSending } from './send.ts'
import { loadDrafts } from './visit-state.ts'

/** A page opened again within this time shows what was just read. */
const FRESH_MS = 20_000
const BURST_MS = 400

export interface Device {
  /** False until what is on the device was read. */
  readonly loaded: boolean
  readonly reading: boolean
  /** Why the last reading failed. */
  readonly error: unknown
  readonly read: () => Promise<void>
}

export function useDevice(): Device {
  const [loaded, setLoaded] = useState(false)
  const [{ reading, error }, setState] = useState<{ reading: boolean; error: unknown }>({
    reading: true,
    error: undefined,
  })
  const read = async () => {
    setState({ reading: true, error: undefined })
    try {
      await refreshDay()
      setState({ reading: false, error: undefined })
    } catch (failure) {
      setState({ reading: false, error: failure })
    }
  }
  useEffect(() => {
    if (person.value === '') return undefined
    startSending()
    let timer: ReturnType<typeof setTimeout> | undefined
    const load = async () => {
      await Promise.all([loadDay(), loadPresses(), loadDrafts()]).catch(() => {})
      setLoaded(true)
      const asOf = Date.parse(day.peek()?.asOf ?? '')
      if (Math.abs(nowMs() - asOf) < FRESH_MS) setState({ reading: false, error: undefined })
      else await read()
    }
    void load()
    const readSoon = () => {
      clearTimeout(timer)
      timer = setTimeout(() => void read(), BURST_MS)
    }
    const stop = onEvents(['replenishment', 'location'], readSoon)
    addEventListener('online', readSoon)
    return () => {
      clearTimeout(timer)
      stop()
      removeEventListener('online', readSoon)
    }
  }, [person.value])
  return { loaded, reading, error, read }
}
