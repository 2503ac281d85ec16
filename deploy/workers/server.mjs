/** A server on Cloudflare Workers. Deploy it with `npx wrangler deploy`. */
import { createServer } from 'portcall'
import { httpHandler } from 'portcall/http'
import { logging } from 'portcall/logging'

const { SEALING_KEYS, ALLOWED_HOSTS = 'localhost,127.0.0.1' } = process.env
const logs = logging({ logger: console })
const server = createServer(
  { name: 'my-server', version: '1.0.0' },
  { onEvent: logs.onEvent, ...(SEALING_KEYS && { sealingKeys: SEALING_KEYS.split(',') }) },
)
server.use(logs.middleware)
server.tool(
  'greet',
  { description: 'Greet a person', input: { type: 'object', properties: { name: { type: 'string' } } } },
  ({ name }) => `Hello, ${name}!`,
)

export default { fetch: httpHandler(server, { path: '/mcp', legacy: 'stateless', allowedHosts: ALLOWED_HOSTS.split(',') }) }
