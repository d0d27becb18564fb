import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROLES_FILE, rolesText, ROUTES_FILE, routesText } from '../../scripts/generate-client.ts'

test('the client knows exactly the operations of the table', () => {
  expect(readFileSync(ROUTES_FILE, 'utf8'), 'run: npm run generate').toBe(routesText())
  expect(readFileSync(ROLES_FILE, 'utf8'), 'run: npm run generate').toBe(rolesText())
})

test('at run time the client is its own folder and nothing else, so that a browser loads little', () => {
  const files = globSync('*.ts', { cwd: import.meta.dirname }).filter((name) => !name.endsWith('.test.ts'))
  expect(files.length).toBeGreaterThan(5)
  for (const file of files) {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8')
    const loaded = [...text.matchAll(/^(?:import|export) (?!type )[^'"]*?from '([^']+)'/gms)].map(([, from]) => from)
    expect(
      loaded.filter((from) => !from?.startsWith('./')),
      file,
    ).toEqual([])
  }
})
