/** When anything may last have changed: an event came, or someone here did something. What is older is asked for anew. */
let changedAt = 0

export const noteChange = (): void => void (changedAt = performance.now())
export const isCurrent = (loadedAt: number): boolean => loadedAt > changedAt
