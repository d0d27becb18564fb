/** One finding of the doctor: what was looked at, what it is like, and how to mend it. */
export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'warn' | 'fail' | 'skipped'
  readonly found: string
  readonly mend?: string
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found })
export const warn = (check: string, found: string, mend: string): Finding => ({ check, state: 'warn', found, mend })
export const fail = (check: string, found: string, mend: string): Finding => ({ check, state: 'fail', found, mend })
export const skipped = (check: string, found: string): Finding => ({ check, state: 'skipped', found })
