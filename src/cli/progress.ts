/** An animated progress line on standard error, cleared when the work ends. */
import type { Terminal } from './terminal.ts'

export interface Progress {
  /** Sets the current step and, where known, the completed share from 0 to 1. */
  update(text: string, share?: number): void
  end(): void
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const EVERY_MS = 100
const BAR = 24
const CLEAR = '\r\u001b[2K'

const bar = (share: number): string => {
  const full = Math.round(Math.min(1, Math.max(0, share)) * BAR)
  return ` ${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${Math.round(share * 100)}%`
}

export function startProgress(terminal: Pick<Terminal, 'err'>, what: string, isShown: boolean): Progress {
  if (!isShown) return { update() {}, end() {} }
  let frame = 0
  let text = what
  let share: number | undefined
  const draw = () => {
    terminal.err(`${CLEAR}${FRAMES[frame % FRAMES.length]} ${text}${share === undefined ? '' : bar(share)}`)
    frame += 1
  }
  draw()
  const timer = setInterval(draw, EVERY_MS)
  timer.unref()
  return {
    update(step, completed) {
      text = step
      share = completed
    },
    end() {
      clearInterval(timer)
      terminal.err(CLEAR)
    },
  }
}
