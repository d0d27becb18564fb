/** Makes the built console installable: manifest, icons, and the worker with the list of what it stores. */
import { createHash } from 'node:crypto'
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Plugin } from 'vite'
import { ROUTES } from '../src/console/lib/routes.ts'

const SHELL = join(import.meta.dirname, '../src/console/shell')
const WORKER = 'service-worker.js'
/** Served at the root beside the page, under these names. */
const COPIED = [
  'manifest.webmanifest',
  'icon-180.png',
  'icon-192.png',
  'icon-512.png',
  'icon-maskable-512.png',
] as const

const patternOf = (path: string): string => `^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`

/** Runs before the files are compressed. */
export function consoleShell(): Plugin {
  let out = ''
  return {
    name: 'console-shell',
    apply: 'build',
    configResolved({ root, build }) {
      out = resolve(root, build.outDir)
    },
    transformIndexHtml: {
      order: 'post',
      handler: () => [
        { tag: 'link', attrs: { rel: 'manifest', href: '/manifest.webmanifest' }, injectTo: 'head' },
        { tag: 'link', attrs: { rel: 'apple-touch-icon', href: '/icon-180.png' }, injectTo: 'head' },
      ],
    },
    writeBundle() {
      for (const name of COPIED) copyFileSync(join(SHELL, name), join(out, name))
      const assets = readdirSync(join(out, 'assets'))
        .filter((name) => !name.endsWith('.map'))
        .toSorted()
        .map((name) => `/assets/${name}`)
      const page = readFileSync(join(out, 'index.html'))
      const worker = readFileSync(join(out, WORKER), 'utf8')
      const version = createHash('sha256').update(page).update(assets.join()).update(worker).digest('hex').slice(0, 12)
      const shell = { version, assets, paths: Object.keys(ROUTES).map(patternOf) }
      writeFileSync(
        join(out, WORKER),
        worker.replace('__SHELL__', () => JSON.stringify(shell)),
      )
    },
  }
}
