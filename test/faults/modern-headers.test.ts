/** Headers that do not match the body of a modern request. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fields, type HttpServer, mirrors, modern, post, startHttp } from './support/http.ts'
import { envelope, modernRequest, type Params, request, textOf, tool } from './support/messages.ts'

const MISMATCH = { status: 400, json: { error: { code: -32020 } } }
const PREFIX = 'io.modelcontextprotocol/'
const echo = tool('echo', { text: 'x' })
const sentinel = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`

let server: HttpServer
beforeAll(async () => void (server = await startHttp()))
afterAll(() => server.kill())

describe('names', () => {
  test.each<[string, string, Fields]>([
    ['M01', 'no Mcp-Method', { 'Mcp-Method': undefined }],
    ['M01', 'an empty Mcp-Method', { 'Mcp-Method': '' }],
    ['M01', 'another Mcp-Method', { 'Mcp-Method': 'tools/list' }],
    ['M01', 'Mcp-Method in another case', { 'Mcp-Method': 'Tools/Call' }],
    ['M01', 'Mcp-Method with more', { 'Mcp-Method': 'tools/call, tools/list' }],
    ['M02', 'no Mcp-Name', { 'Mcp-Name': undefined }],
    ['M02', 'an empty Mcp-Name', { 'Mcp-Name': '' }],
    ['M02', 'another Mcp-Name', { 'Mcp-Name': 'secret' }],
    ['M02', 'Mcp-Name in another case', { 'Mcp-Name': 'Echo' }],
    ['M03', 'base64 of another name', { 'Mcp-Name': sentinel('secret') }],
    ['M03', 'base64 that is none', { 'Mcp-Name': '=?base64?%%%?=' }],
    ['M03', 'base64 without its padding', { 'Mcp-Name': '=?base64?ZWNobw?=' }],
    ['M03', 'base64 that is not canonical', { 'Mcp-Name': '=?base64?ZWNobx==?=' }],
    ['M03', 'base64 with white space', { 'Mcp-Name': '=?base64?ZWNo bw==?=' }],
    ['M03', 'base64 of URLs', { 'Mcp-Name': '=?base64?ZWNobw--?=' }],
    ['M03', 'markers in capitals', { 'Mcp-Name': '=?BASE64?ZWNobw==?=' }],
    ['M03', 'half a marker', { 'Mcp-Name': '=?base64?ZWNobw==' }],
    ['M03', 'base64 of what is no UTF-8', { 'Mcp-Name': '=?base64?//4=?=' }],
    ['M03', 'base64 twice', { 'Mcp-Name': sentinel(sentinel('echo')) }],
    [
      'M04',
      'the right Mcp-Name and then another',
      [
        ['Mcp-Name', 'echo'],
        ['Mcp-Name', 'secret'],
      ],
    ],
    [
      'M04',
      'another Mcp-Name and then the right one',
      [
        ['Mcp-Name', 'secret'],
        ['Mcp-Name', 'echo'],
      ],
    ],
    [
      'M04',
      'the right Mcp-Name twice',
      [
        ['Mcp-Name', 'echo'],
        ['mcp-name', 'echo'],
      ],
    ],
    [
      'M04',
      'two Mcp-Method',
      [
        ['Mcp-Method', 'tools/call'],
        ['MCP-METHOD', 'tools/list'],
      ],
    ],
    [
      'M04',
      'two versions',
      [
        ['MCP-Protocol-Version', '2026-07-28'],
        ['MCP-Protocol-Version', '2025-11-25'],
      ],
    ],
    ['M05', 'no version', { 'MCP-Protocol-Version': undefined }],
    ['M05', 'the version of a session', { 'MCP-Protocol-Version': '2025-11-25' }],
    ['M05', 'another version', { 'MCP-Protocol-Version': '2030-01-01' }],
  ])('%s: %s is a mismatch', async (_, __, fields) => {
    expect(await server.send(modern('tools/call', echo, fields))).toMatchObject(MISMATCH)
    await server.healthy()
  })

  test.each<[string, string, Fields]>([
    [
      'M01',
      'header names in any case',
      [
        ['mCP-mETHOD', 'tools/call'],
        ['MCP-NAME', 'echo'],
      ],
    ],
    ['M02', 'white space around a value', { 'Mcp-Name': '  echo\t' }],
    ['M03', 'the right name in base64', { 'Mcp-Name': sentinel('echo') }],
  ])('%s: %s is accepted', async (_, __, fields) => {
    expect(textOf((await server.send(modern('tools/call', echo, fields))).json)).toBe('x')
  })

  test('M02: the URI of a resource and the name of a prompt are mirrored too', async () => {
    const read = { uri: 'notes://1' }
    expect(await server.send(modern('resources/read', read))).toMatchObject({ status: 200 })
    expect(await server.send(modern('resources/read', read, { 'Mcp-Name': 'notes://2' }))).toMatchObject(MISMATCH)
    const got = { name: 'greet', arguments: { name: 'x' } }
    expect(await server.send(modern('prompts/get', got))).toMatchObject({ status: 200 })
    expect(await server.send(modern('prompts/get', got, { 'Mcp-Name': 'other' }))).toMatchObject(MISMATCH)
    expect(await server.send(modern('prompts/get', got, { 'Mcp-Name': undefined }))).toMatchObject(MISMATCH)
    await server.healthy()
  })
})

describe('versions and envelopes', () => {
  const versions = (version: unknown): Params => ({ ...echo, _meta: { [`${PREFIX}protocolVersion`]: version } })

  test('M05: an unknown version is rejected with the supported versions', async () => {
    const answer = await server.send(modern('tools/call', versions('2030-01-01'), { 'MCP-Protocol-Version': '2030-01-01' }))
    expect(answer).toMatchObject({ status: 400, json: { error: { code: -32022, data: { requested: '2030-01-01' } } } })
    expect(answer.json?.error?.data).toMatchObject({ supported: expect.arrayContaining(['2026-07-28']) })
    await server.healthy()
  })

  test('M05: different versions in header and body are rejected, in both directions', async () => {
    expect(await server.send(modern('tools/call', versions('2025-11-25')))).toMatchObject(MISMATCH)
    expect(await server.send(modern('tools/call', versions('2030-01-01')))).toMatchObject(MISMATCH)
    await server.healthy()
  })

  test.each([
    ['no client capabilities', { [`${PREFIX}clientCapabilities`]: undefined }],
    ['capabilities that are a text', { [`${PREFIX}clientCapabilities`]: 'x' }],
    ['capabilities that are a list', { [`${PREFIX}clientCapabilities`]: [] }],
    ['capabilities that are null', { [`${PREFIX}clientCapabilities`]: null }],
    ['a version that is no text', { [`${PREFIX}protocolVersion`]: 20260728 }],
    ['a log level that there is not', { [`${PREFIX}logLevel`]: 'loud' }],
    ['a progress token that is an object', { progressToken: {} }],
  ])('M06: %s is -32602 and 400', async (_, _meta) => {
    const answer = await server.send(modern('tools/call', { ...echo, _meta }))
    expect(answer).toMatchObject({ status: 400, json: { error: { code: -32602 } } })
    await server.healthy()
  })

  test('M06: _meta that is not an object', async () => {
    for (const _meta of ['x', 1, [], null, true]) {
      const answer = await server.send(post(request('tools/call', { ...echo, _meta }), mirrors('tools/call', echo)))
      expect(answer).toMatchObject({ status: 400, json: { error: { code: -32602 } } })
    }
    await server.healthy()
  })

  test('M12: a body without an envelope is rejected with modern headers', async () => {
    const body = request('tools/call', tool('secret'))
    expect((await server.send(post(body, mirrors('tools/call', tool('echo'))))).status).toBe(400)
    expect((await server.send(post(body, mirrors('tools/call', tool('secret'))))).status).toBe(400)
    await server.healthy()
  })

  test('M12: a body with an envelope is rejected with the headers of a session', async () => {
    const session = await server.session()
    const body = modernRequest('tools/call', tool('secret'))
    expect(await server.send(session.post(body, { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'echo' }))).toMatchObject(MISMATCH)
    expect(await server.send(session.post(body))).toMatchObject(MISMATCH)
    expect((await server.send(post(body))).status).toBe(400)
    await server.healthy()
  })

  test('M12: mirror headers in a session are optional but must match', async () => {
    const session = await server.session()
    const body = request('tools/call', echo)
    expect((await session.ask(body, { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'echo' })).status).toBe(200)
    expect((await session.ask(body, { 'Mcp-Name': 'secret' })).status).toBe(400)
    expect((await session.ask(body, { 'Mcp-Method': 'tools/list' })).status).toBe(400)
    await server.healthy()
  })

  test('M06: client info and capabilities grant no access', async () => {
    const spoofed = {
      ...echo,
      _meta: envelope({ [`${PREFIX}clientInfo`]: { name: '__proto__', version: 'x'.repeat(10_000), admin: true } }),
    }
    expect((await server.send(modern('tools/call', spoofed))).status).toBe(200)
    await server.healthy()
  })
})

describe('arguments', () => {
  const region = (args: Params, fields: Fields): Promise<unknown> =>
    server.send(modern('tools/call', tool('region', args), fields))

  test.each<[string, Params, Fields]>([
    ['a header is missing', { region: 'eu' }, {}],
    ['a header differs', { region: 'eu' }, { 'Mcp-Param-Region': 'us' }],
    ['a header differs in case', { region: 'eu' }, { 'Mcp-Param-Region': 'EU' }],
    ['a header has no argument', {}, { 'Mcp-Param-Region': 'eu' }],
    ['a header is empty', { region: 'eu' }, { 'Mcp-Param-Region': '' }],
    ['base64 is broken', { region: 'eu' }, { 'Mcp-Param-Region': '=?base64?%?=' }],
    ['base64 is of something else', { region: 'eu' }, { 'Mcp-Param-Region': sentinel('us') }],
    [
      'there are two headers',
      { region: 'eu' },
      [
        ['Mcp-Param-Region', 'eu'],
        ['Mcp-Param-Region', 'us'],
      ],
    ],
    [
      'there is the same header twice',
      { region: 'eu' },
      [
        ['Mcp-Param-Region', 'eu'],
        ['Mcp-Param-Region', 'eu'],
      ],
    ],
    ['a number differs', { zone: 42 }, { 'Mcp-Param-Zone': '43' }],
    ['a number is written in hexadecimal', { zone: 42 }, { 'Mcp-Param-Zone': '0x2a' }],
    ['a number has an exponent', { zone: 42 }, { 'Mcp-Param-Zone': '4.2e1' }],
    ['a number has more to it', { zone: 42 }, { 'Mcp-Param-Zone': '42 or 1=1' }],
    ['a raw byte instead of an encoded letter', { region: 'é' }, { 'Mcp-Param-Region': '\u00e9' }],
  ])('M08: %s: a mismatch', async (_, args, fields) => {
    expect(await region(args, fields)).toMatchObject(MISMATCH)
    await server.healthy()
  })

  test.each<[string, Params, Fields]>([
    ['equal', { region: 'eu' }, { 'Mcp-Param-Region': 'eu' }],
    ['equal in base64', { region: 'eu' }, { 'Mcp-Param-Region': sentinel('eu') }],
    [
      'a text with line breaks, in base64',
      { region: 'e\r\nMcp-Name: secret' },
      { 'Mcp-Param-Region': sentinel('e\r\nMcp-Name: secret') },
    ],
    ['equal numbers', { zone: 42 }, { 'Mcp-Param-Zone': '42' }],
    ['numbers that are equal as numbers', { zone: 42 }, { 'Mcp-Param-Zone': '42.0' }],
    ['neither of them', {}, {}],
    ['headers that no argument has', {}, { 'Mcp-Param-Other': 'x' }],
  ])('M08: %s: accepted', async (_, args, fields) => {
    expect(await region(args, fields)).toMatchObject({ status: 200, json: { result: {} } })
    await server.healthy()
  })

  test('M08: CR and LF end a header', async () => {
    const connection = server.connect()
    connection.send(modern('tools/call', tool('region', { region: 'eu' }), { 'Mcp-Param-Region': 'eu\r\nMcp-Param-Region: us' }))
    expect((await connection.answer()).status).toBe(400)
    connection.destroy()
    await server.healthy()
  })
})
