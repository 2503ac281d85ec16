#!/usr/bin/env bash
# Codex 0.171.0: if a failed tool result has structuredContent, the model does not get the text that says why it failed, only the JSON; and
# beside structuredContent it gets no images. The MCP specification sends the reason in content, with isError.
#
# Needs Node 20 and npm. Uses a hand-written MCP server over stdio and a stand-in for the Responses API on loopback; no account.
# Exits with 0 if Codex behaves like this, and with 1 if that has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir home project
echo '{"private":true}' > package.json
npm install --no-audit --no-fund --loglevel=error @openai/codex@0.171.0 > /dev/null

cat > server.mjs <<'SERVER'
import { createInterface } from 'node:readline'
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const structuredContent = { code: 7 }
const RESULTS = {
  fail: { content: [{ type: 'text', text: 'The disk is full' }], isError: true },
  fail_structured: { content: [{ type: 'text', text: 'The disk is full' }], structuredContent, isError: true },
  draw: { content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] },
  draw_structured: { content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }], structuredContent },
}
const ANSWERS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: Object.keys(RESULTS).map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'tools/call': ({ name }) => RESULTS[name],
  ping: () => ({}),
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const answer = ANSWERS[method]
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(answer ? { result: answer(params) } : { error: { code: -32601, message: 'Unknown' } }) }))
}
SERVER

cat > run.mjs <<'RUN'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

const TOOLS = ['fail', 'fail_structured', 'draw', 'draw_structured']
const seen = {}
let calls = 0
const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
const api = createServer(async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(404).end()
  const { input = [] } = JSON.parse(await text(request))
  const last = input.at(-1)
  if (last?.type === 'function_call_output') seen[TOOLS[calls - 1]] = last.output
  const name = TOOLS[calls++]
  const item = name
    ? { type: 'function_call', id: `f${calls}`, call_id: `c${calls}`, namespace: 'mcp__probe', name, arguments: '{}' }
    : { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'Done', annotations: [] }] }
  const done = { id: `r${calls}`, object: 'response', status: 'completed', output: [item], usage }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of [
    { type: 'response.created', response: { ...done, status: 'in_progress', output: [] } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: done },
  ])
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  response.end()
})
await new Promise((resolve) => api.listen(0, '127.0.0.1', resolve))
const config = `model = "model"
model_provider = "standin"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.standin]
name = "standin"
base_url = "http://127.0.0.1:${api.address().port}/v1"
wire_api = "responses"
env_key = "STANDIN_KEY"
[mcp_servers.probe]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(`${process.cwd()}/server.mjs`)}]
default_tools_approval_mode = "approve"
`
writeFileSync('home/config.toml', config)
const args = ['exec', '--skip-git-repo-check', '--sandbox', 'read-only', 'Call the tools.']
const env = { PATH: process.env.PATH, HOME: `${process.cwd()}/home`, CODEX_HOME: `${process.cwd()}/home`, STANDIN_KEY: 'x' }
const codex = spawn('../node_modules/.bin/codex', args, { cwd: 'project', env, stdio: ['ignore', 'ignore', 'inherit'], timeout: 120_000 })
await new Promise((resolve) => codex.on('close', resolve))
api.close()
api.closeAllConnections()

for (const tool of TOOLS) console.log(`${tool}: the model gets ${JSON.stringify(seen[tool])?.replace(/data:image[^"]*/, 'data:image…')}`)
const has = (tool, sign) => JSON.stringify(seen[tool] ?? '').includes(sign)
const asExpected =
  has('fail', 'disk is full') && !has('fail_structured', 'disk is full') && has('fail_structured', 'code') &&
  has('draw', 'input_image') && !has('draw_structured', 'input_image') && has('draw_structured', 'code')
console.log(asExpected ? 'The reason and the image are lost beside structuredContent.' : 'CHANGED: this is not what was found.')
process.exitCode = asExpected ? 0 : 1
RUN

node_modules/.bin/codex --version 2> /dev/null
node run.mjs 2> log.txt || { tail -20 log.txt; exit 1; }
