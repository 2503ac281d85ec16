#!/usr/bin/env bash
# Gemini CLI 0.61.0 adds an argument of its own, wait_for_previous, to the schema of every MCP tool, also to one whose schema has
# additionalProperties: false; and it sends the argument to the server, although the schema that the server has published forbids it.
#
# Needs Node 20 and npm. Uses a hand-written MCP server over stdio and a stand-in for the Gemini API on loopback; no account.
# Exits with 0 if Gemini CLI behaves like this, and with 1 if that has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir -p home/.gemini project
echo '{"private":true}' > package.json
npm install --no-audit --no-fund --loglevel=error @google/gemini-cli@0.61.0 > /dev/null

cat > server.mjs <<'SERVER'
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false }
const ANSWERS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'weather', description: 'Get the weather', inputSchema }] }),
  'tools/call': (params) => {
    appendFileSync(process.argv[2], JSON.stringify(params.arguments))
    return { content: [{ type: 'text', text: 'Sunny' }] }
  },
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
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

let offered
const api = createServer(async (request, response) => {
  const body = JSON.parse((await text(request)) || '{}')
  const tool = (body.tools ?? []).flatMap(({ functionDeclarations = [] }) => functionDeclarations).find(({ name }) => name.endsWith('weather'))
  const isFirst = tool !== undefined && offered === undefined
  offered ??= tool
  const args = { city: 'Rome', wait_for_previous: true }
  const part = isFirst ? { functionCall: { name: tool.name, args } } : { text: 'Done' }
  const chunk = {
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  }
  const isStream = request.url.includes('streamGenerateContent')
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
  response.end(isStream ? `data: ${JSON.stringify(chunk)}\n\n` : JSON.stringify({ ...chunk, totalTokens: 1 }))
})
await new Promise((resolve) => api.listen(0, '127.0.0.1', resolve))
const received = `${process.cwd()}/received.json`
const settings = {
  mcpServers: { probe: { command: process.execPath, args: [`${process.cwd()}/server.mjs`, received], trust: true } },
  security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
}
writeFileSync('home/.gemini/settings.json', JSON.stringify(settings))
const env = {
  PATH: process.env.PATH,
  HOME: `${process.cwd()}/home`,
  GEMINI_API_KEY: 'x',
  GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${api.address().port}`,
}
const args = ['-p', 'What is the weather in Rome?', '--approval-mode', 'yolo', '--skip-trust', '-m', 'gemini-2.5-pro']
const gemini = spawn('../node_modules/.bin/gemini', args, { cwd: 'project', env, stdio: ['ignore', 'ignore', 'inherit'], timeout: 180_000 })
await new Promise((resolve) => gemini.on('close', resolve))
api.close()
api.closeAllConnections()

const schema = offered?.parametersJsonSchema
const sent = existsSync(received) ? JSON.parse(readFileSync(received, 'utf8')) : undefined
console.log(`the server publishes: the property city, and additionalProperties: false`)
console.log(`the model gets: the properties ${Object.keys(schema?.properties ?? {}).join(', ')}; additionalProperties: ${schema?.additionalProperties}`)
console.log(`the server gets the arguments ${JSON.stringify(sent)}`)
const asExpected = schema?.additionalProperties === false && 'wait_for_previous' in schema.properties && sent?.wait_for_previous === true
console.log(asExpected ? 'The host sends an argument that the schema of the server forbids.' : 'CHANGED: this is not what was found.')
process.exitCode = asExpected ? 0 : 1
RUN

node_modules/.bin/gemini --version
node run.mjs 2> log.txt || { tail -20 log.txt; exit 1; }
