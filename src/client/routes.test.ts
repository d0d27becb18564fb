import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ROUTES_FILE, routesText } from '../../scripts/draw-client.ts'

test('the client knows exactly the operations of the table', () => {
  expect(readFileSync(ROUTES_FILE, 'utf8'), 'run: npm run draw').toBe(routesText())
})
