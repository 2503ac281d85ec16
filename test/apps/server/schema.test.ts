import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { createServer } from 'portcall'
import { showsViews, view } from 'portcall/apps/server'
import { connect } from 'portcall/client'
import { expect, test } from 'vitest'

const SCHEMA = new URL('../node_modules/@modelcontextprotocol/ext-apps/dist/src/generated/schema.json', import.meta.url)

test('the metadata of tools and views follows the published schema', async () => {
  const schema = JSON.parse(await readFile(SCHEMA, 'utf8')) as { $defs: object }
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({ ...schema, $id: 'apps' })
  const check = (name: string, value: unknown): void => {
    expect(Object.keys(schema.$defs)).toContain(name)
    const validate = ajv.compile({ $ref: `apps#/$defs/${name}` })
    expect([name, validate(value), validate.errors]).toEqual([name, true, null])
  }
  const server = createServer({ name: 'charts', version: '1' })
  const chart = view(
    { html: '<!doctype html><p>Chart' },
    {
      text: true,
      csp: { connectDomains: ['https://a.example'], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
      permissions: ['camera', 'microphone', 'geolocation', 'clipboardWrite'],
      domain: 'charts.example.com',
      border: false,
    },
  )
  server.tool('draw', { view: chart, visibility: ['app', 'model'] }, (_, call) => String(showsViews(call)))
  const capability = { mimeTypes: ['text/html;profile=mcp-app'] }
  check('McpUiClientCapabilities', capability)
  await using client = await connect(server, { capabilities: { extensions: { 'io.modelcontextprotocol/ui': capability } } })
  const [tool] = await client.tools().toArray()
  const [resource] = await client.resources().toArray()
  const { contents } = await client.readResource(resource?.uri ?? '')
  check('McpUiToolMeta', tool?._meta?.ui)
  check('McpUiResourceMeta', resource?._meta?.ui)
  check('McpUiResourceMeta', contents[0]?._meta?.ui)
  expect(await client.callTool('draw')).toMatchObject({ content: [{ text: 'true' }] })
})
