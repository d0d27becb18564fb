/** Settings stored in this browser. Never secrets: the token is in no storage that scripts can read. */
export function readSetting(name: string): string | undefined {
  try {
    return localStorage.getItem(`vendops.${name}`) ?? undefined
  } catch {
    return undefined
  }
}

/** Reading is cheap, writing is not, and most settings stay as they are. */
export function saveSetting(name: string, value: string): void {
  if (readSetting(name) === value) return
  try {
    localStorage.setItem(`vendops.${name}`, value)
  } catch {
    // Storage may be disabled; the setting is then lost on reload.
  }
}
