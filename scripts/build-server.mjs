// Joins the service and its libraries into dist/server, where `vendops serve` finds it. Nothing is needed of it: an
// installation without the build tools runs from the sources.
import { dirname, join } from 'node:path'
import { buildIntoPlace } from './build-into-place.mjs'
import { isServerFresh, SERVER } from './server-bundle.mjs'

const root = join(import.meta.dirname, '..')

/** One letter beyond Latin-1 and the engine keeps the whole file at two bytes a letter. */
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

/**
 * An `import` of node:http reads everything it offers, and so loads a whole second HTTP client that hides behind one of
 * the names: 16 MB. A `require` does not.
 */
const REQUIRED = '\0required:node:http'
const requireHttp = {
  name: 'require-http',
  enforce: 'pre',
  resolveId: (source, _importer, { kind }) =>
    source === 'node:http' && kind === 'import-statement' ? REQUIRED : undefined,
  load: (id) => (id === REQUIRED ? "module.exports = require('node:http')" : undefined),
}

if (!isServerFresh()) {
  const vite = await import('vite').catch(() => undefined)
  const build = (outDir) =>
    vite.build({
      root,
      configFile: false,
      logLevel: 'warn',
      build: {
        ssr: 'src/main.ts',
        outDir,
        emptyOutDir: true,
        target: 'esnext',
        // Names stay, for they are what a stack trace is read by.
        rolldownOptions: {
          output: {
            entryFileNames: 'main.js',
            chunkFileNames: '[name].js',
            minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
          },
        },
      },
      plugins: [requireHttp, ascii],
      ssr: { target: 'node', noExternal: true, external: ['pg-native'] },
    })
  if (vite) await buildIntoPlace(dirname(SERVER), build)
}
