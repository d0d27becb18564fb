/**
 * Runs the MCP Inspector over a started service and fails on any warning: `node scripts/inspect-mcp.mjs [URL]`, with
 * OPERATOR_TOKEN set. The Inspector is 110 MB, so it is fetched by npx and is no dependency.
 */
import { spawnSync } from 'node:child_process'

const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0'
const url = process.argv[2] ?? 'http://127.0.0.1:8080'
const token = process.env['OPERATOR_TOKEN']
if (!token) {
  console.error('OPERATOR_TOKEN is not set')
  process.exit(2)
}

const methods = [['tools/list', '--strict'], ['resources/list'], ['prompts/list']]
for (const [method, ...more] of methods) {
  const args = [INSPECTOR, '--cli', `${url}/ucp/mcp`, '--transport', 'http', '--method', method, ...more]
  const { status, stdout, stderr } = spawnSync(
    'npx',
    ['--yes', ...args, '--header', `Authorization: Bearer ${token}`],
    { encoding: 'utf8', maxBuffer: 2 ** 26 },
  )
  const warnings = stderr.split('\n').filter((line) => /warn|error/i.test(line) && !/npm warn/i.test(line))
  console.log(`${method}: exit ${status}, ${stdout.length} characters, ${warnings.length} warnings`)
  if (status !== 0 || warnings.length > 0) {
    console.error(stderr || stdout)
    process.exit(1)
  }
}
