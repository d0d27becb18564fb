/** Builds the operator's console out of `src/console` into `dist/console`, where the service finds it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { defineConfig } from 'vite'
import type { Plugin } from 'vite'
import { consoleShell } from './scripts/console-shell.ts'

const OUT = join(import.meta.dirname, 'dist/console')
/** Smaller files gain nothing worth a second copy. */
const COMPRESS_FROM_BYTES = 512

/** The worker is a program of its own and imports nothing. */
const WORKER = /service-worker\.ts$/

/** Compressed once here at the highest level, so that serving costs nothing but the sending. */
function precompressed(): Plugin {
  let out = OUT
  return {
    name: 'precompressed',
    apply: 'build',
    // `scripts/build-console.mjs` builds into a folder of its own first.
    configResolved({ root, build }) {
      out = resolve(root, build.outDir)
    },
    closeBundle() {
      for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
        const file = join(entry.parentPath, entry.name)
        if (!entry.isFile() || /\.(br|gz)$/.test(file)) continue
        const bytes = readFileSync(file)
        if (bytes.length < COMPRESS_FROM_BYTES) continue
        writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
        writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
      }
    },
  }
}

/** Most of the first file runs at once: this line has Chromium compile it while it loads, beside the page. Others ignore it. */
const COMPILE_AT_ONCE = '//# allFunctionsCalledOnLoad\n'

function compiledAtOnce(): Plugin {
  return {
    name: 'compiled-at-once',
    apply: 'build',
    // After Vite has put its own lines first.
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const chunk of Object.values(bundle))
          if (chunk.type === 'chunk' && chunk.isEntry && chunk.name === 'index')
            chunk.code = COMPILE_AT_ONCE + chunk.code
      },
    },
  }
}

export default defineConfig({
  root: join(import.meta.dirname, 'src/console'),
  base: '/',
  publicDir: false,
  plugins: [consoleShell(), compiledAtOnce(), precompressed()],
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: 'es2024',
    // Nothing inlined: the policy of the pages forbids inline script and style.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: {
        index: join(import.meta.dirname, 'src/console/index.html'),
        'service-worker': join(import.meta.dirname, 'src/console/shell/service-worker.ts'),
      },
      // The worker is found by its name and decides by its place what it serves.
      output: {
        entryFileNames: ({ name }) => (name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js'),
        // Everything that the first page needs in one file instead of six: each one costs a slow phone a request and a start.
        codeSplitting: { groups: [{ name: 'first-page', tags: ['$initial'], test: (id) => !WORKER.test(id) }] },
      },
    },
  },
  // `npx vite` during work on the console, beside a running service.
  server: {
    proxy: Object.fromEntries(
      ['/ucp', '/signin', '/signout', '/docs', '/.well-known'].map((path) => [
        path,
        { target: 'http://127.0.0.1:8080', ws: path === '/ucp' },
      ]),
    ),
  },
})
