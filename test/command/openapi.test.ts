import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COMMAND, portcall } from './support/portcall.ts'

const BUILD = fileURLToPath(new URL('build/openapi/', import.meta.url))
const FILE = join(BUILD, 'openapi.yaml')

beforeAll(async () => {
  await mkdir(BUILD, { recursive: true })
  await writeFile(join(BUILD, 'parameters.yaml'), 'limit: { name: limit, in: query, schema: { type: integer } }\n')
  await writeFile(
    FILE,
    `openapi: 3.1.0
info: { title: Tickets, version: 1.0.0 }
servers: [{ url: 'http://127.0.0.1:9' }]
paths:
  /tickets: { get: { operationId: list, parameters: [{ $ref: 'parameters.yaml#/limit' }] } }
  /admin/tickets: { delete: { operationId: deleteAll, servers: [{ url: 'https://admin.test' }] } }
`,
  )
})
afterAll(() => rm(BUILD, { recursive: true, force: true }))

test('openapi --list shows the operations that --include and --exclude leave', async () => {
  expect((await portcall(['openapi', FILE, '--list'])).out).toBe(
    'tool list  GET /tickets\ntool deleteAll  DELETE /admin/tickets\n',
  )
  expect((await portcall(['openapi', FILE, '--list', '--exclude', '/admin/**'])).out).toBe('tool list  GET /tickets\n')
  expect((await portcall(['openapi', FILE, '--list', '--include', 'DELETE /admin/*'])).out).toBe(
    'tool deleteAll  DELETE /admin/tickets\n',
  )
})

test('openapi --stdio serves a description that refers to another file', async () => {
  const { out } = await portcall(['list', '--json', '--', process.execPath, COMMAND, 'openapi', FILE, '--stdio'])
  expect(JSON.parse(out).tools).toMatchObject([{ name: 'list', inputSchema: { properties: { limit: { type: 'integer' } } } }, {}])
})

test('openapi refuses what is not a description', async () => {
  await writeFile(join(BUILD, 'swagger.json'), '{"swagger":"2.0"}')
  const { code, err } = await portcall(['openapi', join(BUILD, 'swagger.json'), '--list'])
  expect(code).not.toBe(0)
  expect(err).toContain('Swagger 2.0 is not supported')
})

test.each([
  [['--exclude', 'DELETE /nope'], '"DELETE /nope" matches no operation'],
  [['--include', 'list', '--exclude', 'admin'], '"admin" matches no operation'],
  [['--auth', 'bearer=x'], 'no security scheme "bearer"'],
  [['--base-url', 'http://127.0.0.1:1', '--base-url', 'http://127.0.0.1:2'], '--base-url is given twice'],
  [['--base-url', 'https://files.test=http://127.0.0.1:1'], '"https://files.test"'],
])('openapi %j names what refers to nothing', async (flags, message) => {
  const { code, err } = await portcall(['openapi', FILE, '--list', ...flags])
  expect(code).not.toBe(0)
  expect(err).toContain(message)
})

test('openapi takes methods in lower case, and base URLs of other origins', async () => {
  const flags = ['--exclude', 'get /tickets', '--base-url', 'https://admin.test=http://127.0.0.1:1']
  expect((await portcall(['openapi', FILE, '--list', ...flags])).out).toBe('tool deleteAll  DELETE /admin/tickets\n')
})
