/** Waits until a page shows all that it has to show. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Nothing is being read any more. */
export async function waitUntilRead(page: Page): Promise<void> {
  await expect.poll(() => page.locator('[aria-busy=true], .skeleton, .boot').count()).toBe(0)
}

/** On a phone parts of a long page are drawn when somebody comes near them. */
const SCROLL_ON = `(() => {
  const next = document.querySelector('.not-near')
  next?.scrollIntoView()
  if (next === null) scrollTo(0, 0)
  return next === null
})()`

export async function settle(page: Page): Promise<void> {
  await page.locator('#main h1').waitFor()
  await waitUntilRead(page)
  await expect.poll(() => page.evaluate(SCROLL_ON)).toBe(true)
  await waitUntilRead(page)
}
