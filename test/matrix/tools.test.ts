import { expect } from 'vitest'
import { isStreamable } from '../support/setups.ts'
import { callTool, GAPS, matrix, textOf } from './matrix.ts'
import { BLOCKS } from './server/tools.ts'

/** The kinds of content that a revision defines. */
const KINDS: Record<string, string[]> = {
  '2024-11-05': ['text', 'image', 'resource'],
  '2025-03-26': ['text', 'image', 'resource', 'audio'],
  '2025-06-18': ['text', 'image', 'resource', 'audio', 'resource_link'],
  '2025-11-25': ['text', 'image', 'resource', 'audio', 'resource_link'],
  '2026-07-28': ['text', 'image', 'resource', 'audio', 'resource_link'],
}

const TOO_YOUNG = { name: 'Ada', age: -1 }

matrix('tools', (it) => {
  it('TOOL-020 TOOL-021 a string becomes a text block', async (peer) => {
    const { result } = await callTool(peer, 'echo', { text: 'Grüße, 世界 \u2028 🌍' })
    expect(result.content).toEqual([{ type: 'text', text: 'Grüße, 世界 \u2028 🌍' }])
    expect(result.resultType).toBe(peer.era === 'modern' ? 'complete' : undefined)
  })

  it('TOOL-021 undefined becomes an empty result, with and without arguments', async (peer, { revision }) => {
    const nothing = revision < '2025-06-18' ? [{ type: 'text', text: '' }] : []
    expect((await callTool(peer, 'nothing')).result.content).toEqual(nothing)
    expect((await callTool(peer, 'nothing', {})).result.content).toEqual(nothing)
  })

  it('arguments that a host adds to a tool without input are dropped', async (peer) => {
    const { result } = await callTool(peer, 'nothing', { wait_for_previous: true })
    expect(result.isError ?? false).toBe(false)
  })

  it('TOOL-022 TOOL-023 every kind of content is sent, converted where the revision does not define it', async (peer, {
    revision,
  }) => {
    const { result } = await callTool(peer, 'blocks')
    const content = result.content as { type: string; text?: string }[]
    expect(content).toHaveLength(BLOCKS.length)
    content.forEach((block, index) => {
      const { type } = BLOCKS[index] ?? { type: '' }
      expect(KINDS[revision]).toContain(block.type)
      if (KINDS[revision]?.includes(type)) expect(block.type).toBe(type)
    })
    expect(JSON.stringify(content)).toContain('memo://text')
  })

  it('TOOL-026 annotations and _meta of a block conform to the revision', async (peer, { revision }) => {
    const [block] = (await callTool(peer, 'blocks')).result.content as { annotations: object }[]
    const lastModified = revision >= '2025-06-18' ? { lastModified: '2026-01-02T03:04:05Z' } : {}
    expect(block?.annotations).toEqual({ audience: ['user'], priority: 0.5, ...lastModified })
    expect('_meta' in (block ?? {})).toBe(revision >= '2025-06-18')
  })

  it('TOOL-027 TOOL-028 TOOL-031 structured content is sent as an object where the revision allows it, and always as text', async (peer, {
    revision,
  }) => {
    const outcome = await callTool(peer, 'structured')
    expect(outcome.result.structuredContent).toEqual(revision < '2025-06-18' ? undefined : { celsius: 21.5, sky: 'clear' })
    expect(JSON.parse(textOf(outcome) ?? '')).toEqual({ celsius: 21.5, sky: 'clear' })
  })

  it('TOOL-027 structured content that is not an object is sent unchanged or as text', async (peer, { revision }) => {
    const outcome = await callTool(peer, 'list')
    if (revision === '2026-07-28') expect(outcome.result.structuredContent).toEqual([1, 2, 3])
    else
      expect([undefined, [1, 2, 3]]).toContainEqual(
        (outcome.result.structuredContent as { result?: unknown } | undefined)?.result,
      )
    expect(JSON.parse(textOf(outcome) ?? '')).toEqual([1, 2, 3])
  })

  it('TOOL-028 a tool that violates its output schema fails without disclosing its output', async (peer) => {
    const outcome = await callTool(peer, 'misshapen')
    expect(outcome.result.isError).toBe(true)
    expect(JSON.stringify(outcome.result)).not.toContain('no number')
  })

  it('TOOL-032 a ToolError becomes an error result with its message', async (peer) => {
    expect((await callTool(peer, 'fails')).result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'The printer is on fire' }],
    })
  })

  it('H42 the message of an unexpected error is not disclosed', async (peer) => {
    const outcome = await callTool(peer, 'breaks')
    expect(outcome.result.isError).toBe(true)
    expect(JSON.stringify(outcome.response)).not.toMatch(/canary|swordfish|Error:/)
    expect(textOf(outcome)).toMatch(/reference/i)
  })

  it('TOOL-033 TOOL-036 invalid arguments are rejected as the revision requires, with the path of the issue', async (peer, {
    revision,
  }) => {
    for (const [name, args, path] of [
      ['person', TOO_YOUNG, 'age'],
      ['described', {}, 'name'],
      ['described', { name: 1 }, 'name'],
    ] as const) {
      const { error, result } = await callTool(peer, name, args)
      if (revision < '2025-11-25') expect(error).toMatchObject({ code: -32602 })
      else expect(result).toMatchObject({ isError: true })
      expect(JSON.stringify(error ?? result)).toContain(path)
    }
    expect(textOf(await callTool(peer, 'person', { name: 'Ada', age: 36 }))).toBe('Ada is 36')
  })

  it('TOOL-034 a call of an unknown tool or without a name is rejected with -32602', async (peer) => {
    expect((await callTool(peer, 'no-such-tool')).error?.code).toBe(-32602)
    expect((await peer.request('tools/call', {}, { headers: { 'mcp-name': '' } })).error?.code).toBeLessThan(0)
  })

  it('H13 H14 names of Object.prototype members are ordinary tool names', async (peer) => {
    for (const name of ['constructor', '__proto__', 'hasOwnProperty'])
      expect(textOf(await callTool(peer, name))).toBe(`I am ${name}`)
    for (const name of ['toString', 'valueOf', 'isPrototypeOf']) {
      expect((await callTool(peer, name)).error?.code).toBe(-32602)
      expect((await peer.request('prompts/get', { name })).error?.code).toBe(-32602)
      expect((await peer.request(name, {})).error?.code).toBe(-32601)
    }
  })

  it('HTTP-078 HTTP-080 HTTP-082 a mirrored argument must match its header', async (peer, { transport, revision }) => {
    const call = (region: string, header?: string): ReturnType<typeof callTool> =>
      callTool(peer, 'region', { region }, header === undefined ? {} : { headers: { 'mcp-param-region': header } })
    expect(textOf(await call('eu', 'eu'))).toBe('eu')
    expect(textOf(await call('zürich', '=?base64?esO8cmljaA==?='))).toBe('zürich')
    const strict = isStreamable(transport) && revision === '2026-07-28'
    for (const outcome of [await call('eu'), await call('eu', 'us'), await call('eu', '=?base64?ZXU?=')])
      expect(outcome.error?.code).toBe(strict ? -32020 : undefined)
  })

  it('STDIO-005 a tool may write to stdout', async (peer) => {
    const log = console.log
    console.log = () => {}
    try {
      for (let n = 0; n < 3; n++) expect(textOf(await callTool(peer, 'prints'))).toBe('printed')
    } finally {
      console.log = log
    }
  })

  it('BASE-051 a call context has the client, the method and the trace context', async (peer) => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const text = textOf(await callTool(peer, 'whoami', {}, { meta: { traceparent } }))
    expect(JSON.parse(text ?? '')).toEqual({ name: 'raw', method: 'tools/call', traceparent })
  })

  it(
    'HTTP-060 HTTP-061 HTTP-069 HTTP-065 HTTP-066 HTTP-068 the headers must match the body',
    async (peer) => {
      const wrong = [
        { 'mcp-method': 'tools/list' },
        { 'mcp-name': 'nothing' },
        { 'mcp-method': 'TOOLS/CALL' },
        { 'mcp-protocol-version': '2025-11-25' },
      ]
      for (const headers of wrong) {
        const { error, status } = await callTool(peer, 'echo', { text: 'x' }, { headers })
        expect({ headers, code: error?.code, status }).toEqual({ headers, code: -32020, status: 400 })
      }
      expect((await callTool(peer, 'echo', { text: 'x' }, { headers: { 'mcp-name': ' echo ' } })).error).toBeUndefined()
    },
    GAPS.stateless,
    GAPS.http,
  )
})
