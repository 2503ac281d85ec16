/** Two gateways on one Redis, to which a server delivers events through the proxies of deploy/. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from 'portcall/client'
import { events } from 'portcall/events/client'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { serveEventShop } from '../support/event-shop.ts'
import { freePort } from '../support/free-port.mjs'
import { startRedis } from '../support/services/redis.mjs'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startProgram } from './support/program.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const COMMAND = fileURLToPath(new URL('../../packages/portcall/dist/cli/main.js', import.meta.url))
const file = (path: string): string => readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8')

/** Writes the configuration of a proxy into a folder, without TLS. Returns the command that runs it. */
type Configure = (folder: string, ports: { readonly proxy: number; readonly gateways: readonly number[] }) => string[]

const upstreamsOf = (text: string, [first, second]: readonly number[]): string =>
  text.replace('127.0.0.1:3000', `127.0.0.1:${first}`).replace('127.0.0.1:3001', `127.0.0.1:${second}`)

const PROXIES: readonly { readonly program: string; readonly configure: Configure }[] = [
  {
    program: '/usr/sbin/nginx',
    configure(folder, { proxy, gateways }) {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`)
      const config = upstreamsOf(file('nginx/nginx.conf'), gateways)
        .replace('listen 443 ssl http2', `listen 127.0.0.1:${proxy}`)
        .replace(/ssl_certificate.*;/g, '')
        .replace('http {', `http { access_log off; ${temporary.join(' ')}`)
      const path = join(folder, 'nginx.conf')
      // Its workers write large bodies into the folder.
      const { username } = userInfo()
      writeFileSync(path, `user ${username}; daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;\n${config}`)
      return ['-p', folder, '-c', path]
    },
  },
  {
    program: join(HERE, '.venv/bin/caddy'),
    configure(folder, { proxy, gateways }) {
      const config = upstreamsOf(file('caddy/Caddyfile'), gateways).replace('mcp.example.com {', `http://127.0.0.1:${proxy} {`)
      const path = join(folder, 'Caddyfile')
      writeFileSync(path, `{\n\tadmin off\n}\n${config}`)
      return ['run', '--config', path]
    },
  },
]

const redis = await startRedis()
afterAll(() => redis?.stop())

describe.each(PROXIES)('through $program', ({ program, configure }) => {
  test.skipIf(!redis || !existsSync(program))('events arrive once and in order', { timeout: 120_000 }, async () => {
    const shop = await serveEventShop()
    const folder = temporaryFolder()
    const [proxy, ...gateways] = [await freePort(), await freePort(), await freePort()]
    const url = `http://127.0.0.1:${proxy}`
    const config = join(folder, 'gateway.json')
    const gateway = {
      servers: { shop: { eventWebhook: true } },
      eventWebhook: { url: `${url}/mcp-events` },
      store: redis?.url,
    }
    writeFileSync(config, JSON.stringify({ mcpServers: { shop: shop.entry }, gateway }))
    for (const port of gateways) {
      const command = [process.execPath, COMMAND, 'gateway', '--config', config, '--port', String(port)]
      await startProgram({ command, port, cwd: HERE, env: { PORTCALL_HOME: join(folder, 'home') } })
    }
    const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
    await startProgram({ command: [program, ...configure(folder, { proxy, gateways })], port: proxy, env })
    const clients = await Promise.all(
      gateways.map(async () => {
        const client = await connect(`${url}/mcp`, { extensions: [events()] })
        onTestFinished(() => client.close())
        const received: string[] = []
        await client.events.on('shop__order.created', {}, ({ eventId }) => void received.push(eventId))
        return received
      }),
    )
    const ids = Array.from({ length: 30 }, (_, at) => `ord-${at}`)
    for (const id of ids) await shop.emit(id, { note: 'ö'.repeat(50_000) })
    for (const received of clients) await eventually(() => expect(received).toEqual(ids))
    expect(new Set(shop.requests.map(({ url: made }) => new URL(made).origin))).toEqual(new Set([url]))
    const signature = {
      'content-type': 'application/json',
      'webhook-id': 'm1',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': `v1,${'A'.repeat(43)}=`,
      'x-mcp-subscription-id': String(shop.requests[0]?.id),
    }
    const forged = await fetch(shop.requests[0]?.url ?? '', { method: 'POST', headers: signature, body: '{}' })
    expect(forged.status).toBe(401)
  })
})
