#!/usr/bin/env bash
# opencode 1.18.33 puts additionalProperties: false into the input schema of every MCP tool. If a schema has its properties in anyOf, as
# `{ type: 'object', anyOf: [{ properties: { id }, required: ['id'] }, …] }`, the model gets a schema that no arguments satisfy: id is required,
# and forbidden.
#
# Needs Node 20 and npm. Uses a hand-written MCP server over stdio and a stand-in for the Chat Completions API on loopback; no account.
# Exits with 0 if opencode behaves like this, and with 1 if that has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir -p home/.config/opencode project
echo '{"private":true}' > package.json
npm install --no-audit --no-fund --loglevel=error opencode-ai@1.18.33 ajv@8.17.1 > /dev/null

cat > server.mjs <<'SERVER'
import { createInterface } from 'node:readline'
export const inputSchema = {
  type: 'object',
  anyOf: [
    { properties: { id: { type: 'string' } }, required: ['id'] },
    { properties: { name: { type: 'string' } }, required: ['name'] },
  ],
}
const ANSWERS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'find', description: 'Find a user', inputSchema }] }),
  ping: () => ({}),
}
async function serve() {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) continue
    const answer = ANSWERS[method]
    console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(answer ? { result: answer(params) } : { error: { code: -32601, message: 'Unknown' } }) }))
  }
}
if (process.argv[2] === 'serve') await serve()
SERVER

cat > run.mjs <<'RUN'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Ajv } from 'ajv'
import { inputSchema } from './server.mjs'

let offered
const api = createServer(async (request, response) => {
  const { tools = [] } = JSON.parse((await text(request)) || '{}')
  offered ??= tools.find((tool) => tool.function.name.endsWith('find'))?.function.parameters
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 0, model: 'model' }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const choice of [{ delta: { role: 'assistant', content: 'Done' }, finish_reason: null }, { delta: {}, finish_reason: 'stop' }])
    response.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, ...choice }] })}\n\n`)
  response.end('data: [DONE]\n\n')
})
await new Promise((resolve) => api.listen(0, '127.0.0.1', resolve))
const options = { baseURL: `http://127.0.0.1:${api.address().port}/v1`, apiKey: 'x' }
const config = {
  autoupdate: false,
  share: 'disabled',
  model: 'standin/model',
  small_model: 'standin/model',
  provider: { standin: { npm: '@ai-sdk/openai-compatible', options, models: { model: { tool_call: true } } } },
  mcp: { probe: { type: 'local', command: [process.execPath, `${process.cwd()}/server.mjs`, 'serve'], enabled: true, timeout: 30000 } },
}
writeFileSync('home/.config/opencode/opencode.json', JSON.stringify(config))
const env = {
  PATH: process.env.PATH,
  HOME: `${process.cwd()}/home`,
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  npm_config_offline: 'true',
  npm_config_fetch_retries: '0',
}
const args = ['run', '--auto', '-m', 'standin/model', 'Find Ada.']
const opencode = spawn('../node_modules/.bin/opencode', args, { cwd: 'project', env, stdio: ['ignore', 'ignore', 'inherit'], timeout: 240_000 })
await new Promise((resolve) => opencode.on('close', resolve))
api.close()
api.closeAllConnections()

const accepts = (schema, value) => new Ajv({ strict: false }).validate(schema, value)
console.log(`the server publishes: ${JSON.stringify(inputSchema)}`)
console.log(`the model gets: ${JSON.stringify(offered)}`)
const values = [{ id: '1' }, { name: 'Ada' }, {}]
for (const value of values)
  console.log(`${JSON.stringify(value)}: ${accepts(inputSchema, value)} by the schema of the server, ${offered && accepts(offered, value)} by that of the model`)
const asExpected = offered !== undefined && accepts(inputSchema, values[0]) && values.every((value) => !accepts(offered, value))
console.log(asExpected ? 'No arguments satisfy the schema that the model gets.' : 'CHANGED: this is not what was found.')
process.exitCode = asExpected ? 0 : 1
RUN

node_modules/.bin/opencode --version
node run.mjs 2> log.txt || { tail -20 log.txt; exit 1; }
