#!/usr/bin/env bash
# xmcp 1.1.3 publishes its MCP server card only at /.well-known/mcp/server-card.json, the path of earlier drafts. Where the final SEP-2127 and its
# extension look, beside the endpoint and in the AI catalog of the domain, it answers with 405 and 404: a client that follows the final text
# finds no server. The name of the card is the Host header of the request, reversed, so that each address of a server has another name.
#
# Needs Node 20 and npm. Builds a server with one tool and asks it on loopback.
# Exits with 0 if xmcp behaves like this, and with 1 if that has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir -p src/tools
echo '{"private":true}' > package.json
npm install --no-audit --no-fund --loglevel=error xmcp@1.1.3 @xmcp-dev/compiler@1.1.3 typescript@5.9.3 zod@3.25.76 > /dev/null
cat > tsconfig.json <<'JSON'
{ "compilerOptions": { "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "strict": true, "skipLibCheck": true }, "include": ["src", "xmcp.config.ts"] }
JSON
cat > src/tools/greet.ts <<'TOOL'
export const metadata = { name: 'greet', description: 'Greets' }
export default async function greet() {
  return 'Hello'
}
TOOL
cat > run.mjs <<'RUN'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

const probe = createServer().listen(0, '127.0.0.1')
await once(probe, 'listening')
const { port } = probe.address()
probe.close()
writeFileSync(
  'xmcp.config.ts',
  `import type { XmcpConfig } from 'xmcp'
const config: XmcpConfig = { http: { port: ${port} }, template: { name: 'Books' }, paths: { prompts: false, resources: false } }
export default config
`,
)
const { status, stdout, stderr } = spawnSync('node_modules/.bin/xmcp', ['build'], { encoding: 'utf8' })
if (status !== 0) throw new Error(`${stdout}${stderr}`)
const server = spawn(process.execPath, ['dist/http.js'], { stdio: 'ignore' })
const read = async (path, host) => {
  const request = get({ port, host: '127.0.0.1', path, headers: { host, accept: 'application/json' } })
  const [response] = await once(request, 'response')
  return { status: response.statusCode, body: await text(response) }
}
const DRAFT = '/.well-known/mcp/server-card.json'
try {
  for (let attempt = 0; attempt < 100; attempt++) {
    const ready = await read(DRAFT, `127.0.0.1:${port}`).catch(() => undefined)
    if (ready) break
    await delay(100)
  }
  const found = {}
  for (const path of ['/mcp/server-card', '/.well-known/ai-catalog.json', DRAFT]) {
    found[path] = (await read(path, `127.0.0.1:${port}`)).status
    console.log(`GET ${path}: ${found[path]}`)
  }
  const names = []
  for (const host of ['localhost', 'books.example.com']) {
    const { name, remotes } = JSON.parse((await read(DRAFT, `${host}:${port}`)).body)
    names.push(name)
    console.log(`asked as ${host}, the card has the name ${name} and the endpoint ${remotes[0].url.replace(`:${port}`, '')}`)
  }
  const asExpected =
    found['/mcp/server-card'] >= 400 && found['/.well-known/ai-catalog.json'] === 404 && found[DRAFT] === 200 && names[0] !== names[1]
  console.log(asExpected ? 'The card is at the path of a draft only.' : 'CHANGED: this is not what was found.')
  process.exitCode = asExpected ? 0 : 1
} finally {
  server.kill()
}
RUN

echo "xmcp $(node -p "require('./node_modules/xmcp/package.json').version")"
node run.mjs
