/** The result of one check: what was checked, what was found, and how to fix it. */
export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'warn' | 'fail' | 'skipped'
  readonly found: string
  readonly fix?: string
}

export const pass = (check: string, found: string): Finding => ({ check, state: 'ok', found })
export const warn = (check: string, found: string, fix: string): Finding => ({ check, state: 'warn', found, fix })
export const fail = (check: string, found: string, fix: string): Finding => ({ check, state: 'fail', found, fix })
export const skippedFinding = (check: string, found: string): Finding => ({ check, state: 'skipped', found })
