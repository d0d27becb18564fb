/** Controls of the shown page that a thumb can miss. */
import type { Page } from 'playwright-core'

/**
 * A control is 44 px high, or no other one lies within that height around it. Links within a sentence and machines on the
 * map are where they have to be; a radio button or a checkbox has its label, and a row that opens has its button.
 */
const SMALL_TARGETS = `((within) => {
  const SIZE = 44
  const isText = (node) => node.nodeType === Node.TEXT_NODE && /[\\p{L}\\p{N}]/u.test(node.textContent)
  const isInText = (one) => getComputedStyle(one).display === 'inline' && [...one.parentElement.childNodes].some(isText)
  const targetOf = (one) => (one.matches('input[type=radio], input[type=checkbox]') && one.closest('label')) || one
  const grown = (box) => {
    const by = Math.max(0, SIZE - box.height) / 2
    return { left: box.left, right: box.right, top: box.top - by, bottom: box.bottom + by }
  }
  // What floats over the page moves against it.
  const layerOf = (one) => {
    while (one && !['fixed', 'sticky'].includes(getComputedStyle(one).position)) one = one.parentElement
    return one
  }
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top + 1 < b.bottom && b.top + 1 < a.bottom
  const CONTROLS = 'a[href], button, input:not([type=hidden]), select, textarea, summary'
  const controls = [...document.querySelectorAll(within)].flatMap((part) => [...part.querySelectorAll(CONTROLS)])
  const targets = [...new Set(controls.map(targetOf))]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !isInText(one))
    .filter((one) => !one.closest('.skip, .hidden, .map-canvas, .virtual-row'))
    .map((one) => ({ one, height: one.getBoundingClientRect().height, box: grown(one.getBoundingClientRect()) }))
  const isApart = (a, b) =>
    a.one.contains(b.one) || b.one.contains(a.one) || !meet(a.box, b.box) || layerOf(a.one) !== layerOf(b.one)
  return targets
    .filter((target) => target.height < SIZE - 1 && !targets.every((other) => isApart(target, other)))
    .map(({ one, height }) => one.tagName + '.' + one.className + ' ' + Math.round(height) + ' px: ' + one.textContent)
})`

export const smallTargets = (page: Page, within = 'body') =>
  page.evaluate<readonly string[]>(`${SMALL_TARGETS}('${within}')`)
