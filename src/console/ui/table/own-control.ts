/** Whether a press was on a control inside a row, which does what it says itself. */
export const isOwnControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('a, button, input, select, label') !== null
