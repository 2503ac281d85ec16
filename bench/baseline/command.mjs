/** A minimal CLI: help, or one request over HTTP whose result it prints. */
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'baseline', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const PARAMS = { 'tools/list': {}, 'tools/call': { name: 'add', arguments: { a: 1, b: 2 } } }

const [method, url] = process.argv.slice(2)

async function ask() {
  const { request } = await import('node:http')
  const params = { ...PARAMS[method], _meta: META }
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': META['io.modelcontextprotocol/protocolVersion'],
    'mcp-method': method,
    ...(params.name && { 'mcp-name': params.name }),
  }
  request(url, { method: 'POST', headers }, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (part) => (text += part))
    response.on('end', () => console.log(JSON.stringify(JSON.parse(text).result)))
  }).end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
}

if (url) await ask()
else console.log('usage: command METHOD URL')
