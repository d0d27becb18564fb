// Bundles the service, the command line and their libraries into dist/server, where `vendops` finds them. An installation
// without the build tools runs from the sources.
import { basename, dirname, join, parse } from 'node:path'
import { buildIntoPlace } from './build-into-place.mjs'
import { CLI, isServerUpToDate, SERVER } from './build-paths.mjs'

const root = join(import.meta.dirname, '..')

/** One character beyond Latin-1 and V8 stores the whole file with two bytes per character. */
const ascii = {
  name: 'ascii',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle))
      if (chunk.type === 'chunk')
        chunk.code = chunk.code.replaceAll(
          /[\u0080-\uffff]/g,
          (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
        )
  },
}

/** For libraries what src/lib/node-http.ts does for our own files. */
const REQUIRE_HTTP_ID = '\0required:node:http'
const requireHttp = {
  name: 'require-http',
  enforce: 'pre',
  resolveId: (source, _importer, { kind }) =>
    source === 'node:http' && kind === 'import-statement' ? REQUIRE_HTTP_ID : undefined,
  load: (id) => (id === REQUIRE_HTTP_ID ? "module.exports = require('node:http')" : undefined),
}

/** Each into one file of its own: what threads share with the service would become a second file that it starts from. */
const ENTRIES = {
  'src/main.ts': basename(SERVER),
  'src/cli/main.ts': basename(CLI),
  'src/cli/simulate/agent/scripted.ts': 'scripted.js',
  'src/vendors/sheet/price-list/examine-list-thread.ts': 'examine-list-thread.js',
  'src/vendors/aside/read-thread.ts': 'read-thread.js',
  'src/vendors/fetch/fetch-thread.ts': 'fetch-thread.js',
}

if (!isServerUpToDate()) {
  const vite = await import('vite').catch(() => undefined)
  const buildEntry = (entry, file, outDir) =>
    vite.build({
      root,
      configFile: false,
      // ssh2 asks for it when it is loaded.
      ...(entry.endsWith('fetch-thread.ts') && { define: { __dirname: 'import.meta.dirname' } }),
      logLevel: 'warn',
      build: {
        ssr: entry,
        outDir,
        emptyOutDir: false,
        target: 'esnext',
        // Names stay readable in stack traces.
        rolldownOptions: {
          // Compiled parts of ssh2, which it does without.
          external: ['cpu-features', /\.node$/],
          output: {
            entryFileNames: file,
            chunkFileNames: `${parse(file).name}-[name].js`,
            minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
          },
        },
      },
      plugins: [requireHttp, ascii],
      ssr: { target: 'node', noExternal: true, external: ['pg-native'] },
    })
  const build = async (outDir) => {
    // The folder is new and empty.
    for (const [entry, file] of Object.entries(ENTRIES)) await buildEntry(entry, file, outDir)
  }
  if (vite) await buildIntoPlace(dirname(SERVER), build)
}
