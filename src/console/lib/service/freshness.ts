/** The time of the last event or action. Data requested before it may be stale. */
let changedAt = 0

export const noteChange = (): void => void (changedAt = performance.now())
export const isCurrent = (loadedAt: number): boolean => loadedAt > changedAt
