import { connect } from 'portcall/client'
import { fromOpenAPI, type OpenApiOptions } from 'portcall/openapi'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../test/support/free-port.mjs'

const parameter = (name: string) => ({ name, in: 'query', schema: { type: 'string' } })
const DESCRIPTION = {
  openapi: '3.1.0',
  info: { title: 't', version: '1' },
  servers: [{ url: 'https://{region}.api.test', variables: { region: { default: 'eu' } } }],
  paths: {
    '/pets': {
      get: { operationId: 'listPets', tags: ['pets'], parameters: [parameter('tenant')], security: [{ bearerAuth: [] }] },
    },
    '/admin/users': { delete: { operationId: 'dropUsers' } },
  },
  components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' }, unused: { type: 'http', scheme: 'basic' } } },
}

async function namesOf(options: OpenApiOptions) {
  const server = await fromOpenAPI(DESCRIPTION, options)
  const client = await connect(server)
  onTestFinished(() => client.close())
  return { tools: (await client.tools().toArray()).map(({ name }) => name), issues: server.openapi.issues }
}

test.each<[string, object, string]>([
  ['auth', { auth: { bearer: 'x' } }, 'no security scheme "bearer"; it has bearerAuth, unused'],
  ['auth', { auth: { bearerauth: 'x' } }, 'did you mean "bearerAuth"?'],
  ['a member of a route', { routes: [{ method: 'delete', to: 'exclude' }] }, 'Use "methods"'],
  ['a target', { routes: [{ to: 'excluded' }] }, 'to must be "tool" or "resource" or "exclude"'],
  ['a method', { routes: [{ methods: ['DELETE /x'], to: 'exclude' }] }, 'is not a method'],
  ['a path', { routes: [{ path: '/nope/**', to: 'exclude' }] }, 'routes[0] matches no operation'],
  ['a path with a method', { routes: [{ path: '/admin/**', methods: ['get'], to: 'exclude' }] }, 'matches no operation'],
  ['a tag', { routes: [{ tags: ['pet'], to: 'exclude' }] }, 'no tag "pet"; did you mean "pets"?'],
  ['an operation id', { routes: [{ operationIds: ['listPet'], to: 'exclude' }] }, 'did you mean "listPets"?'],
  ['one of several tags', { routes: [{ tags: ['pets', 'pet'], to: 'exclude' }] }, 'no tag "pet"'],
  [
    'one of several operation ids',
    { routes: [{ operationIds: ['dropUsers', 'dropUser'], to: 'exclude' }] },
    '"dropUser"; did you mean',
  ],
  ['a fixed argument', { customize: () => ({ fixed: { tenent: 'a' } }) }, 'no argument "tenent"'],
  ['a hidden argument', { customize: () => ({ hide: ['nope'] }) }, 'no argument "nope"'],
  ['a media type', { customize: () => ({ mediaType: 'image/png' }) }, 'no media type "image/png"'],
  ['a member of customize', { customize: () => ({ rename: 'x' }) }, 'unknown option "rename"'],
  ['a server variable', { serverVariables: { regoin: 'us' } }, 'did you mean "region"?'],
  ['an origin', { credentialOrigins: ['https://api.test/'] }, 'is not an origin'],
  [
    'an origin of baseUrls',
    { baseUrls: { 'https://api.test': 'http://127.0.0.1' } },
    'no operation with the server "https://api.test"',
  ],
  ['a base URL of an origin', { baseUrls: { 'api.test': 'http://127.0.0.1' } }, 'is not an origin'],
])('a name that refers to nothing is refused: %s', async (_, options, message) => {
  await expect(fromOpenAPI(DESCRIPTION, options as OpenApiOptions)).rejects.toThrow(message)
})

test('names that refer to something are accepted, methods in any case, and arguments that only some operations have', async () => {
  const { tools, issues } = await namesOf({
    auth: { bearerAuth: 'x' },
    routes: [{ methods: ['delete'], to: 'exclude' }],
    serverVariables: { region: 'us' },
    customize: () => ({ fixed: { tenant: 'a' } }),
  })
  expect(tools).toEqual(['listPets'])
  expect(issues).toEqual([])
  expect((await namesOf({ customize: () => ({ fixed: { tenant: 'a' } }) })).tools).toEqual(['listPets', 'dropUsers'])
})

test('a credential that no operation requires is an issue', async () => {
  const { issues } = await namesOf({ auth: { unused: 'u:p' } })
  expect(issues).toEqual([{ where: 'auth', problem: expect.stringContaining('no operation requires unused') }])
})

test.each([undefined, ''])('a credential without a value is an issue: %j', async (bearerAuth) => {
  const { issues } = await namesOf({ auth: { bearerAuth } as never })
  expect(issues).toEqual([{ where: 'auth', problem: expect.stringContaining('bearerAuth has no value') }])
})

test.each<[object, string]>([
  [{ auth: 'token' }, 'auth must be an object, not a text'],
  [{ auth: { bearerAuth: 12345678 } }, 'auth.bearerAuth must be a text, { username, password } or a function'],
  [{ auth: { bearerAuth: { user: 'a' } } }, 'auth.bearerAuth must be a text'],
  [{ headers: ['x-key: 1'] }, 'headers must be an object or a function, not an array'],
  [{ headers: { 'x key': '1' } }, 'headers: "x key" is not the name of a header'],
  [{ headers: { 'x-key': undefined } }, 'headers: x-key must be a text, not undefined'],
  [{ baseUrl: 'localhost:3000' }, 'baseUrl must be a URL with https: or http:, not "localhost:3000"'],
  [{ baseUrls: { 'https://a.test': 'ftp://b.test' } }, 'https://a.test must be a URL with https: or http:'],
  [{ routes: { to: 'exclude' } }, 'routes must be an array, not an object'],
  [{ routes: [{ methods: 'DELETE', to: 'exclude' }] }, 'methods must be an array of texts, not "DELETE"'],
  [{ routes: [{ path: ['/a'], to: 'exclude' }] }, 'path must be a text or a regular expression, not an array'],
  [{ routes: [{ path: '/pets' }] }, 'routes[0]: to is missing'],
  [{ customize: [] }, 'customize must be a function, not an array'],
  [{ customize: () => ({ select: 'id' }) }, 'select must be an array of texts or a function, not "id"'],
  [{ customize: () => ({ hide: 'tenant' }) }, 'hide must be an array of texts, not "tenant"'],
  [{ customize: () => ({ fixed: 'tenant' }) }, 'fixed must be an object, not "tenant"'],
])('a value of another kind is refused: %j', async (options, message) => {
  await expect(fromOpenAPI(DESCRIPTION, options as OpenApiOptions)).rejects.toThrow(message)
})

test.each([{ paths: {} }, { paths: undefined }, { paths: { '/a': { summary: 'nothing' } } }])(
  'a description without operations is refused: %j',
  async (paths) => {
    await expect(fromOpenAPI({ ...DESCRIPTION, ...paths })).rejects.toThrow('The description has no operations')
  },
)

test('why an API or a description cannot be reached is said', async () => {
  const gone = `http://127.0.0.1:${await freePort()}`
  await expect(fromOpenAPI(new URL(`${gone}/openapi.json`))).rejects.toThrow(
    `${gone}/openapi.json cannot be loaded: ${gone} could not be reached: the connection was refused (ECONNREFUSED)`,
  )
  const client = await connect(await fromOpenAPI(DESCRIPTION, { baseUrl: gone }))
  onTestFinished(() => client.close())
  const { content } = await client.callTool('dropUsers', {})
  expect(content).toEqual([{ type: 'text', text: `${gone} could not be reached: the connection was refused (ECONNREFUSED)` }])
})
