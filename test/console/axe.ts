/** What axe finds on the shown page. The page needs `bypassCSP`, and no motion, for colours that do not change meanwhile. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Fault {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** `within`: only in the elements of this selector. */
export async function faults(page: Page, rules?: readonly string[], within?: string): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE)
  // Of all else one element per rule is described, and nothing of it is sent here: describing takes longer than checking.
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) })
  const { violations } = await page.evaluate<{ violations: readonly Fault[] }>(
    `axe.run(${within === undefined ? 'document' : JSON.stringify(within)}, ${options}).then(({ violations }) => ({ violations }))`,
  )
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map(({ html, failureSummary }) => `${html} ${failureSummary}`)
        .slice(0, 3)
        .join(' | ')}`,
  )
}
