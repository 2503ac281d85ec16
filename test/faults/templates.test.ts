/** URIs that make a matcher slow, or escape the root of a template. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AMBIGUOUS } from './server/resources.ts'
import { type HttpServer, modern, startHttp, testHttp } from './support/http.ts'
import { timed } from './support/time.ts'

const LONGEST = 8192

let server: HttpServer
beforeAll(async () => {
  server = await startHttp()
  await server.healthy()
})
afterAll(() => server.kill())

const read = (uri: string): ReturnType<HttpServer['send']> => server.send(modern('resources/read', { uri }))

/** Returns URIs that start like a template and then repeat its possible separators. */
function crafted(template: string): string[] {
  const scheme = template.slice(0, template.indexOf('{'))
  const units = ['-', '.', 'a', '/', 'a-', 'a.', 'a/', '%2F', ',', '&a=', ';a=', '/end', '.end', 'x', '?a=1&', '%', '-a/b-']
  const fill = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
  return units.flatMap((unit) => [`${scheme}${fill(unit, 600)}!`, `${scheme}${fill(unit, LONGEST - scheme.length - 1)}!`])
}

test.each(AMBIGUOUS)('H61: %s is matched quickly', async (template) => {
  let slowest = 0
  for (const uri of crafted(template)) {
    const took = await timed(async () => expect((await read(uri)).status).toBeLessThan(500))
    slowest = Math.max(slowest, took)
  }
  expect(slowest).toBeLessThan(5000)
  await server.healthy()
})

test('H61: URIs of 64 KB are rejected quickly', async () => {
  for (const template of AMBIGUOUS) {
    const uri = `${template.slice(0, template.indexOf('{'))}${'a-'.repeat(32_768)}`
    const body = JSON.stringify(uri)
    const took = await timed(async () => {
      const session = await server.session()
      const answer = await session.ask(JSON.parse(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":${body}}}`))
      expect(answer.json).toHaveProperty('error')
    })
    expect(took).toBeLessThan(5000)
  }
  await server.healthy()
})

test('H61: 500 concurrent crafted URIs do not delay other requests', async () => {
  const uri = `b://${'a.'.repeat(2000)}!`
  const flood = Promise.all(Array.from({ length: 100 }, () => read(uri)))
  expect(await timed(() => server.healthy())).toBeLessThan(10_000)
  await flood
})

test('H61: completion and subscription handle crafted URIs too', async () => {
  for (const template of AMBIGUOUS) {
    const uri = `${template.slice(0, template.indexOf('{'))}${'a-'.repeat(4000)}!`
    const took = await timed(async () => {
      await server.send(
        modern('completion/complete', {
          ref: { type: 'ref/resource', uri },
          argument: { name: 'a', value: 'x'.repeat(100_000) },
        }),
      )
      const session = await server.session()
      await session.ask({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } })
    })
    expect(took).toBeLessThan(5000)
  }
  await server.healthy()
})

describe('X01: a path does not escape its root', () => {
  const PATHS = [
    '../etc/passwd',
    'a/../../etc/passwd',
    '..',
    'a/..',
    '%2e%2e/etc/passwd',
    '%2E%2E%2Fetc%2Fpasswd',
    '.%2e/etc/passwd',
    '..%2fetc/passwd',
    '..%5c..%5cwindows',
    '..\\..\\windows',
    'a/%2e%2e/%2e%2e/b',
    'a%00.txt',
  ]
  test.each(PATHS.flatMap((path) => [`files:///${path}`, `deep:///root/${path}`, `notes://${path}`]))('%s', async (uri) => {
    const answer = await server.send(modern('resources/read', { uri }))
    expect(answer.json).toMatchObject({ error: { code: -32602 } })
    expect(answer.json).not.toHaveProperty('result')
    await server.healthy()
  })

  test.each(['%252e%252e%252fetc', '....//', 'a/.../b', '~root', 'C:%5cwindows', 'a;..;b'])(
    '%s is only a name, and is not decoded twice',
    async (path) => {
      const { json } = await read(`files:///${path}`)
      const text = (json?.result?.contents as Array<{ text: string }> | undefined)?.[0]?.text
      if (text !== undefined) expect(text).toBe(`file ${decodeURIComponent(path)}`)
      await server.healthy()
    },
  )

  test('a variable without an operator does not match a slash', async () => {
    for (const uri of ['notes://a/b', 'notes://a%2Fb']) {
      const { json } = await read(uri)
      const text = (json?.result?.contents as Array<{ text: string }> | undefined)?.[0]?.text
      if (text !== undefined) expect(uri).toContain('%2F')
    }
    expect((await read('notes://a/b')).json).toHaveProperty('error')
  })
})

test('a space is read as %20, which clients send for it', async () => {
  for (const uri of ['notes://a b', 'notes://a%20b', 'NOTES://a b'])
    expect((await read(uri)).json).toMatchObject({ result: { contents: [{ uri, text: 'note a b' }] } })
})

test('other URIs are rejected: control characters, no scheme, numbers', async () => {
  for (const uri of [
    '',
    ' ',
    'notes',
    ' notes://a',
    'notes://a\nb',
    'notes://a\tb',
    'notes://\u0000',
    'notes://a\u007f',
    '\ud800',
    'file:///etc/passwd',
    'http://169.254.169.254/',
  ])
    expect((await read(uri)).json).toMatchObject({ error: { code: expect.any(Number) } })
  const strict = await testHttp()
  expect((await strict.send(modern('resources/read', { uri: 42 }))).json).toMatchObject({ error: { code: -32602 } })
  await strict.healthy()
})
