/** Bundles the process of these tests: it then starts in a third of the CPU time that it takes from the sources. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'

const ROOT = join(import.meta.dirname, '../..')

const built = new Map<string, Promise<string>>()

/** The path of the bundle of a program, built once per worker. */
export function builtInstance(program = 'test/processes/instance.ts'): Promise<string> {
  const building = built.get(program) ?? buildInstance(program)
  built.set(program, building)
  return building
}

async function buildInstance(program: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-instance-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'warn',
    // In the bundle main.ts is part of the program, not the program.
    define: { 'import.meta.main': 'false' },
    build: {
      ssr: program,
      outDir: folder,
      emptyOutDir: true,
      target: 'esnext',
      minify: false,
      rolldownOptions: { output: { entryFileNames: 'instance.mjs', chunkFileNames: '[name].mjs' } },
    },
    ssr: { target: 'node', noExternal: true, external: ['pg-native'] },
  })
  return join(folder, 'instance.mjs')
}
