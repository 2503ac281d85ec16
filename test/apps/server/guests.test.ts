import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { connect } from 'portcall/client'
import { createGateway } from 'portcall/gateway'
import { afterAll, beforeAll, expect, test } from 'vitest'

const GUESTS = ['basic-vanillajs', 'basic-react', 'system-monitor']
const APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }

const targetOf = (guest: string) => {
  const folder = new URL(`../node_modules/@modelcontextprotocol/server-${guest}/`, import.meta.url)
  return { command: execPath, args: [fileURLToPath(new URL('dist/index.js', folder)), '--stdio'] }
}

const gateway = createGateway({
  servers: Object.fromEntries(GUESTS.map((guest) => [guest, { target: targetOf(guest), startTimeoutMs: 60_000 }])),
})
let client: Awaited<ReturnType<typeof connect>>

beforeAll(async () => {
  client = await connect(gateway, { capabilities: APPS })
})
afterAll(async () => {
  await client.close()
  await gateway.close()
})

interface ViewMeta {
  readonly ui?: { readonly resourceUri?: string; readonly visibility?: readonly string[] }
  readonly 'ui/resourceUri'?: string
}

test('published servers behind one URL have views with URIs of their own, which are read', async () => {
  const tools = await client.tools().toArray()
  const viewed = tools.filter(({ _meta }) => (_meta as ViewMeta | undefined)?.ui?.resourceUri)
  expect(new Set(viewed.map(({ name }) => name.split('__')[0]))).toEqual(new Set(GUESTS))
  for (const { name, _meta } of viewed) {
    const { ui, 'ui/resourceUri': flat } = _meta as ViewMeta
    const uri = ui?.resourceUri ?? ''
    expect(uri.startsWith(`ui://${name.split('__')[0]}+/`)).toBe(true)
    expect(flat ?? uri).toBe(uri)
    const { contents } = await client.readResource(uri)
    expect(contents).toMatchObject([{ uri, mimeType: 'text/html;profile=mcp-app' }])
    expect(String((contents[0] as { text?: string }).text)).toContain('<html')
  }
  const resources = await client.resources().toArray()
  const uris = new Set(viewed.map(({ _meta }) => (_meta as ViewMeta).ui?.resourceUri))
  for (const { uri } of resources.filter((resource) => resource.uri.startsWith('ui:'))) expect(uris).toContain(uri)
})

test('a button of a view calls its tool by the name that the server gave it', async () => {
  const tools = await client.tools().toArray()
  const polled = tools.find(({ name }) => name === 'system-monitor__poll-system-stats')
  expect((polled?._meta as ViewMeta | undefined)?.ui?.visibility).toEqual(['app'])
  await expect(client.callTool('get-time')).rejects.toThrow(/basic-vanillajs__get-time or basic-react__get-time/)
  expect(await client.callTool('poll-system-stats')).toMatchObject({ content: expect.any(Array) })
})
