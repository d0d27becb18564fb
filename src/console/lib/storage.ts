/** Small choices of a person, kept in this browser. Never anything secret: the token is in no place a script reads. */
export function readSetting(name: string): string | undefined {
  try {
    return localStorage.getItem(`vendops.${name}`) ?? undefined
  } catch {
    return undefined
  }
}

export function saveSetting(name: string, value: string): void {
  try {
    localStorage.setItem(`vendops.${name}`, value)
  } catch {
    // A browser that keeps nothing still works; it asks again next time.
  }
}
