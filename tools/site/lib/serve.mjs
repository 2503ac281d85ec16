import { createReadStream } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { fileAt } from './check-links.mjs'

const TYPES = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml',
}

/** Serves a built site on loopback as GitHub Pages does: without `.html` in the addresses, and with 404.html for unknown ones. */
export async function serveSite(dist, base) {
  const server = createServer(({ url }, response) => {
    const path = decodeURIComponent(new URL(url, 'http://site').pathname)
    const found = path.startsWith(base) ? fileAt(dist, path.slice(base.length) || 'index.html') : undefined
    const file = found ?? join(dist, '404.html')
    response.writeHead(found ? 200 : 404, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' })
    createReadStream(file).pipe(response)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
