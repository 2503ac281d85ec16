#!/usr/bin/env bash
# Deno 2.9.6: the signal of a POST request whose client has disconnected is aborted only when the response is sent, if the body came in a packet
# of its own. That of a GET request is aborted at once, and a response that is already a stream is cancelled at once. Clients of MCP 2026-07-28
# cancel a call by closing its connection, so a server on Deno notices only if it opens an event stream early.
#
# Needs npm on Linux x64. Exits with 0 if Deno behaves like this, and with another code if that has changed.
set -eu
folder=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --no-audit --no-fund --loglevel=error @deno/linux-x64-glibc@2.9.6 >/dev/null
deno=$(find "$folder/node_modules/@deno/linux-x64-glibc" -type f -name deno | head -1)
chmod +x "$deno"
"$deno" --version | head -1

cat >server.ts <<'TS'
/** Responds after 3 s, with JSON or, for /stream, with a stream that is opened at once. Prints when it notices that the client has gone. */
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
Deno.serve({ port: 0, hostname: '127.0.0.1', onListen: ({ port }) => console.log(`port ${port}`) }, async (request) => {
  const { pathname } = new URL(request.url)
  await request.text()
  let responded = false
  const report = (how: string) => console.log(`${pathname} ${how} ${responded ? 'after' : 'before'} the response`)
  if (pathname !== '/stream') request.signal.addEventListener('abort', () => report('aborted'))
  else return new Response(new ReadableStream({ cancel: () => report('cancelled') }), { headers: { 'content-type': 'text/event-stream' } })
  await wait(3000)
  responded = true
  return new Response('{}')
})
TS
cat >client.mjs <<'JS'
import { connect } from 'node:net'
const [port] = process.argv.slice(2)
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x'.repeat(600) } })
async function send(method, path) {
  const socket = connect(Number(port), '127.0.0.1').resume()
  socket.on('error', () => {})
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${method === 'POST' ? body.length : 0}\r\n\r\n`
  socket.write(head)
  await wait(200)
  if (method === 'POST') socket.write(body)
  await wait(800)
  socket.destroy()
}
await Promise.all([send('GET', '/get'), send('POST', '/post'), send('POST', '/stream')])
await wait(3500)
JS
"$deno" run --quiet --allow-net server.ts >output.txt 2>/dev/null &
server=$!
for _ in $(seq 100); do grep -q '^port' output.txt && break; sleep 0.1; done
node client.mjs "$(sed -n 's/^port //p' output.txt)"
grep '^/' output.txt | sort | tee seen.txt
diff seen.txt - <<'EXPECTED'
/get aborted before the response
/post aborted after the response
/stream cancelled before the response
EXPECTED
echo 'as expected'
