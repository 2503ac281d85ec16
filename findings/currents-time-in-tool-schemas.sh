#!/usr/bin/env bash
# @currents/mcp 2.1.1: tools/list has the time at which the process started in the input schemas, as the default of date arguments. Two
# starts of the same version never list the same tools, so a hash of the list, a pinned definition or a cache key changes at each start
# although nothing else has.
#
# Needs Node 20 and npm. Speaks to the server over stdio; no account, nothing is called.
# Exits with 0 if the server behaves like this, and with 1 if that has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private":true}' > package.json
npm install --no-audit --no-fund --loglevel=error --ignore-scripts @currents/mcp@2.1.1 > /dev/null

cat > run.mjs <<'RUN'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const { version, bin } = JSON.parse(readFileSync('node_modules/@currents/mcp/package.json', 'utf8'))
const file = `node_modules/@currents/mcp/${typeof bin === 'string' ? bin : Object.values(bin)[0]}`

async function list() {
  const server = spawn(process.execPath, [file], { env: { ...process.env, CURRENTS_API_KEY: 'made-up' }, stdio: ['pipe', 'pipe', 'ignore'] })
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'probe', version: '1' }
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } })
  for await (const line of createInterface({ input: server.stdout })) {
    const { id, result } = JSON.parse(line)
    if (id === 1) {
      send({ method: 'notifications/initialized' })
      send({ id: 2, method: 'tools/list' })
    }
    if (id === 2) {
      server.kill()
      return result.tools
    }
  }
}

const [first, second] = [await list(), await list()]
const isTime = (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)
const defaultsOf = (tools) =>
  tools.flatMap(({ name, inputSchema }) =>
    Object.entries(inputSchema.properties ?? {}).filter(([, { default: value }]) => isTime(value)).map(([argument, { default: value }]) => `${name}.${argument}: ${value}`),
  )
console.log(`@currents/mcp ${version}: ${first.length} tools`)
console.log('first start: ', defaultsOf(first).slice(0, 2))
console.log('second start:', defaultsOf(second).slice(0, 2))
const withoutTimes = (tools) => JSON.stringify(tools, (_key, value) => (isTime(value) ? 'time' : value))
const asExpected =
  defaultsOf(first).length > 0 && JSON.stringify(first) !== JSON.stringify(second) && withoutTimes(first) === withoutTimes(second)
console.log(asExpected ? 'The lists differ in nothing but the time.' : 'CHANGED: this is not what was found.')
process.exitCode = asExpected ? 0 : 1
RUN
node run.mjs
