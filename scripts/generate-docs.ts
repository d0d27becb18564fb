/** Rewrites `docs/generated` and `skills` from the contract: `npm run generate`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generatedFiles } from '../src/api-docs/generated-files.ts'

const root = join(import.meta.dirname, '..')
for (const [path, content] of Object.entries(generatedFiles())) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
  console.log(path)
}
