#!/usr/bin/env bash
# The view of @modelcontextprotocol/server-customer-segmentation 2.0.3 (MCP Apps) calls its tool a tenth of a second after it has started, whether
# or not the host has answered ui/initialize. A host that refuses requests before ui/notifications/initialized shows it on a fast machine, and an
# error in it on a slow one. The view of @modelcontextprotocol/server-cohort-heatmap 2.0.3 waits.
#
# The script runs the pages in jsdom, with a host that has not answered yet. Needs Node 20 and npm. Exits with 0 if the views behave like this, and
# with 1 if that has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private":true,"type":"module"}' > package.json
npm install --no-audit --no-fund --loglevel=error --ignore-scripts jsdom@26.1.0 \
  @modelcontextprotocol/server-customer-segmentation@2.0.3 @modelcontextprotocol/server-cohort-heatmap@2.0.3 > /dev/null

cat > run.mjs <<'RUN'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { JSDOM, VirtualConsole } from 'jsdom'

const SCRIPTS = /<script type="module"[^>]*>([\s\S]*?)<\/script>/g
const EXPECTED = { 'customer-segmentation': 'ui/initialize, tools/call', 'cohort-heatmap': 'ui/initialize' }

/** Runs the page of a server for a second and a half, and returns the methods that it sends to its host. */
async function sentBy(name) {
  const html = readFileSync(`node_modules/@modelcontextprotocol/server-${name}/dist/mcp-app.html`, 'utf8')
  const options = { runScripts: 'outside-only', pretendToBeVisual: true, virtualConsole: new VirtualConsole() }
  const { window } = new JSDOM(html.replaceAll(SCRIPTS, ''), options)
  const sent = []
  Object.defineProperty(window, 'parent', { value: { postMessage: ({ method }) => sent.push(method) } })
  window.matchMedia = () => ({ matches: false, addEventListener() {} })
  window.HTMLCanvasElement.prototype.getContext = () => null
  for (const [, code] of html.matchAll(SCRIPTS)) window.eval(code)
  await wait(1500)
  window.close()
  return sent.join(', ')
}

let asExpected = true
for (const [name, expected] of Object.entries(EXPECTED)) {
  const sent = await sentBy(name)
  console.log(`${name} 2.0.3, host has not answered: ${sent}`)
  asExpected &&= sent === expected
}
console.log(asExpected ? 'One view calls its tool before the handshake.' : 'CHANGED: this is not what was found.')
process.exit(asExpected ? 0 : 1)
RUN
node run.mjs
