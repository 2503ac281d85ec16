import type { JsonObject } from 'portcall/jsonrpc'
import { expect } from 'vitest'
import type { InputRequest } from '../support/requests.ts'
import { callTool, GAPS, matrix, openPeer, readJournal, textOf, until } from './matrix.ts'

const accept = (content: JsonObject): JsonObject => ({ action: 'accept', content })
const SAMPLE = { role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'test-model', stopReason: 'endTurn' }
const ROOTS = { roots: [{ uri: 'file:///home', name: 'Home' }, { uri: 'file:///tmp' }] }

/** Answers every kind of input request. */
const answerAll = ({ method }: InputRequest): JsonObject => {
  if (method === 'sampling/createMessage') return SAMPLE
  return method === 'roots/list' ? ROOTS : accept({ name: 'Ada' })
}

matrix('input requests', (it) => {
  it(
    'BASE-019 STDIO-011 ELI-005 ELI-006 ELI-013 MRTR-006 a form is requested, and the response reaches the handler',
    async (peer, { revision }) => {
      peer.onInputRequest(answerAll)
      const outcome = await callTool(peer, 'asks')
      expect(textOf(outcome)).toBe('Hello, Ada')
      expect(outcome.inputRequests).toMatchObject([
        {
          method: 'elicitation/create',
          params: {
            message: 'Who are you?',
            requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
          },
        },
      ])
      expect(outcome.inputRequests[0]?.params.mode).toBe(revision < '2025-11-25' ? undefined : 'form')
    },
    GAPS.elicitation,
  )

  it(
    'ELI-049 ELI-050 a declined or cancelled form ends the call with an error result',
    async (peer) => {
      for (const action of ['decline', 'cancel']) {
        peer.onInputRequest(() => ({ action }))
        expect((await callTool(peer, 'asks')).result.isError).toBe(true)
        expect(textOf(await callTool(peer, 'asks_kindly'))).toBe(`declined: ${action}`)
      }
    },
    GAPS.elicitation,
  )

  it(
    'ELI-024 a form is requested again after an invalid response',
    async (peer) => {
      const answers = [accept({ age: 7 }), accept({ age: 'old' }), accept({}), { action: 'accept' }, accept({ age: 42 })]
      peer.onInputRequest(() => answers.shift() ?? { action: 'cancel' })
      const outcome = await callTool(peer, 'asks_age')
      expect(textOf(outcome)).toBe('age 42')
      expect(outcome.inputRequests).toHaveLength(5)
    },
    GAPS.elicitation,
  )

  it(
    'ELI-008 ELI-010 ELI-011 a form has every kind of field that the revision defines, and its defaults are applied',
    async (peer, { revision }) => {
      peer.onInputRequest(() => accept({ name: 'Grace' }))
      const outcome = await callTool(peer, 'asks_form')
      const answer = JSON.parse(textOf(outcome) ?? '{}') as JsonObject
      expect(answer).toMatchObject({ name: 'Grace', age: 36, agree: true, size: 'M' })
      const { properties } = (outcome.inputRequests[0] as InputRequest).params.requestedSchema as {
        properties: { [name: string]: JsonObject }
      }
      expect(properties.agree).toMatchObject({ type: 'boolean', default: true })
      if (revision >= '2025-11-25') {
        expect(properties.colour?.oneOf).toEqual([
          { const: 'r', title: 'Red' },
          { const: 'g', title: 'Green' },
        ])
        expect(properties.name?.default).toBe('Ada')
      } else expect(properties.colour).toMatchObject({ enum: ['r', 'g'], enumNames: ['Red', 'Green'] })
    },
    GAPS.elicitation,
  )

  it(
    'ELI-011 several options of one field can be selected',
    async (peer, { revision }) => {
      const modern = { name: 'Ada', sizes: ['M', 'L'], colours: ['r'] }
      peer.onInputRequest(({ params }) => {
        if (revision >= '2025-11-25') return accept(modern)
        const { properties } = params.requestedSchema as { properties: { [name: string]: JsonObject } }
        const flags = Object.keys(properties).filter((name) => /^(sizes|colours)/.test(name))
        return accept({ name: 'Ada', ...Object.fromEntries(flags.map((name) => [name, /(M|L|r|Red)\W*$/.test(`${name}`)])) })
      })
      const answer = JSON.parse(textOf(await callTool(peer, 'asks_form')) ?? '{}') as JsonObject
      expect(answer.sizes).toEqual(['M', 'L'])
      expect(answer.colours).toEqual(['r'])
    },
    GAPS.elicitation,
  )

  it(
    'ELI-016 ELI-025 ELI-042 a visit to a URL is requested',
    async (peer) => {
      peer.onInputRequest(() => ({ action: 'accept' }))
      const outcome = await callTool(peer, 'asks_url')
      expect(textOf(outcome)).toBe('signed in')
      expect(outcome.inputRequests).toMatchObject([
        { params: { mode: 'url', url: 'https://example.com/sign-in', message: 'Please sign in' } },
      ])
    },
    GAPS.urlElicitation,
  )

  it('SMP-005 SMP-006 the model of the client is sampled', async (peer) => {
    peer.onInputRequest(answerAll)
    const outcome = await callTool(peer, 'asks_model')
    expect(textOf(outcome)).toContain('test-model')
    expect(textOf(outcome)).toContain('Hello')
    expect(outcome.inputRequests).toMatchObject([
      { method: 'sampling/createMessage', params: { maxTokens: 5, messages: [{ role: 'user' }] } },
    ])
  })

  it(
    'SMP-009 a sampling request may include tools',
    async (peer) => {
      peer.onInputRequest(() => ({
        role: 'assistant',
        content: [{ type: 'tool_use', id: '1', name: 'add', input: {} }],
        model: 'm',
        stopReason: 'toolUse',
      }))
      expect(textOf(await callTool(peer, 'asks_model_with_tools'))).toBe('toolUse')
    },
    GAPS.samplingTools,
  )

  it('ROO-002 ROO-003 the roots are requested', async (peer) => {
    peer.onInputRequest(answerAll)
    expect(textOf(await callTool(peer, 'asks_roots'))).toBe('file:///home file:///tmp')
  })

  it('MRTR-004 concurrent input requests are sent in one round trip', async (peer) => {
    peer.onInputRequest(answerAll)
    const outcome = await callTool(peer, 'asks_model_and_roots')
    expect(textOf(outcome)).toBe('test-model 2')
    expect(outcome.inputRequests.map(({ method }) => method).sort()).toEqual(['roots/list', 'sampling/createMessage'])
    if (peer.era === 'modern') {
      const { result } = await callTool(peer, 'asks_model_and_roots', {}, { follow: false })
      expect(Object.keys(result.inputRequests as object)).toHaveLength(2)
    }
  })

  it(
    'MRTR-012 MRTR-019 sequential input requests are answered, and unknown members of a response are ignored',
    async (peer) => {
      const names = ['Ada', 'Bob']
      peer.onInputRequest(() => accept({ name: names.shift() ?? '', unheardOf: 1 }))
      expect(textOf(await callTool(peer, 'asks_in_turn'))).toBe('Ada, Bob')
    },
    GAPS.elicitation,
  )

  it(
    '3.2 a step runs once however often the handler runs; `finally` runs each time',
    async (peer) => {
      await readJournal(peer)
      peer.onInputRequest(answerAll)
      expect(textOf(await callTool(peer, 'asks_once'))).toMatch(/^Ada: receipt \d+$/)
      const journal = await readJournal(peer)
      expect(journal.filter((entry) => entry === 'charged')).toHaveLength(1)
      expect(journal.filter((entry) => entry === 'run')).toHaveLength(2)
      expect(journal.filter((entry) => entry === 'finally')).toHaveLength(2)
    },
    GAPS.elicitation,
  )

  it(
    '3.2 request state too large for the wire is stored on the server',
    async (peer) => {
      peer.onInputRequest(answerAll)
      expect(textOf(await callTool(peer, 'asks_with_luggage'))).toBe('Ada with 50000')
      const { result } = await callTool(peer, 'asks_with_luggage', {}, { follow: false })
      if (peer.era === 'modern') expect(String(result.requestState).length).toBeLessThan(1000)
    },
    GAPS.elicitation,
  )

  it(
    'ELI-049 an error response counts as cancel',
    async (peer) => {
      peer.onInputRequest(() => ({ error: { code: -32603, message: 'The screen is broken' } }))
      expect(textOf(await callTool(peer, 'asks_kindly'))).toBe('declined: cancel')
    },
    GAPS.elicitation,
    GAPS.handshake,
  )

  it(
    'CAN-001 CAN-005 an input request is cancelled together with its call',
    async (peer) => {
      const controller = new AbortController()
      const start = peer.log.length
      const sentByServer = (method: string): unknown[] =>
        peer.log.slice(start).flatMap(({ from, message }) => (from === 'server' && message.method === method ? [message] : []))
      peer.onInputRequest(() => new Promise(() => {}))
      const rejection = expect(callTool(peer, 'asks', {}, { signal: controller.signal })).rejects.toThrow()
      await until(() => sentByServer('elicitation/create').length > 0)
      controller.abort(new Error('never mind'))
      await rejection
      await until(() => sentByServer('notifications/cancelled').length > 0)
      const [request] = sentByServer('elicitation/create') as { id: number }[]
      expect(sentByServer('notifications/cancelled')).toMatchObject([{ params: { requestId: request?.id } }])
    },
    GAPS.elicitation,
    GAPS.handshake,
  )

  it(
    'MRTR-002 RES-011 PRM-009 prompts and resources may request input',
    async (peer) => {
      peer.onInputRequest(answerAll)
      const prompt = await peer.request('prompts/get', { name: 'asks' })
      expect(prompt.result.messages).toMatchObject([{ content: { text: 'Be nice to Ada' } }])
      const resource = await peer.request('resources/read', { uri: 'memo://asks' })
      expect(resource.result.contents).toMatchObject([{ text: 'read by Ada' }])
    },
    GAPS.elicitation,
  )

  it('ELI-003 SMP-002 MRTR-005 ROO-010 no input is requested that the client did not declare', async (_, setup) => {
    const peer = await openPeer(setup, { capabilities: {} })
    for (const name of ['asks', 'asks_url', 'asks_model', 'asks_roots']) {
      const { error, result, inputRequests } = await callTool(peer, name)
      expect(inputRequests).toEqual([])
      if (peer.era === 'modern') expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: {} } })
      else expect(error !== undefined || result.isError === true).toBe(true)
    }
  })

  it(
    'ELI-001 an empty elicitation capability means forms only',
    async (_, setup) => {
      const peer = await openPeer(setup, { capabilities: { elicitation: {} } })
      peer.onInputRequest(answerAll)
      expect(textOf(await callTool(peer, 'asks'))).toBe('Hello, Ada')
      expect((await callTool(peer, 'asks_url')).inputRequests).toEqual([])
    },
    GAPS.elicitation,
  )

  it('SMP-023 a client that rejects sampling ends the call with an error', async (peer) => {
    peer.onInputRequest(() => ({ error: { code: -1, message: 'User rejected sampling request' } }))
    const { error, result } = await callTool(peer, 'asks_model')
    if (peer.era === 'legacy') expect(error !== undefined || result.isError === true).toBe(true)
    else expect(result.resultType).toBe('input_required')
  })

  it(
    'MRTR-008 MRTR-014 MRTR-016 request state that was modified or belongs to another request is rejected',
    async (peer) => {
      const first = await callTool(peer, 'asks', {}, { follow: false })
      const { requestState, inputRequests } = first.result as { requestState: string; inputRequests: object }
      const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, accept({ name: 'Eve' })]))
      const again = (params: object): Promise<{ error: unknown }> =>
        peer.request('tools/call', { name: 'asks', arguments: {}, inputResponses, ...params }, { follow: false })
      for (const state of [`${requestState}x`, requestState.slice(1), `${requestState.slice(0, -4)}AAAA`, '', 'nonsense'])
        expect((await again({ requestState: state })).error).toMatchObject({ code: -32602 })
      expect((await again({ requestState, name: 'asks_kindly' })).error).toMatchObject({ code: -32602 })
      expect((await again({ requestState, arguments: { more: 1 } })).error).toMatchObject({ code: -32602 })
      expect((await again({ requestState })).error).toBeUndefined()
    },
    GAPS.stateless,
  )

  it(
    'MRTR-018 MRTR-020 missing or malformed responses are requested again or rejected',
    async (peer) => {
      const first = await callTool(peer, 'asks', {}, { follow: false })
      const { requestState, inputRequests } = first.result as { requestState: string; inputRequests: object }
      const [key = ''] = Object.keys(inputRequests)
      for (const inputResponses of [
        {},
        { wrong: accept({ name: 'Eve' }) },
        { [key]: 12345 },
        { [key]: { action: 'perhaps' } },
        { [key]: accept({}) },
      ]) {
        const { error, result } = await peer.request(
          'tools/call',
          { name: 'asks', arguments: {}, requestState, inputResponses },
          { follow: false },
        )
        expect(error ?? result).toMatchObject(error ? { code: -32602 } : { resultType: 'input_required' })
      }
      expect(
        (await peer.request('tools/call', { name: 'asks', arguments: {}, requestState, inputResponses: null }, { follow: false }))
          .result.content,
      ).toBeUndefined()
    },
    GAPS.stateless,
  )
})
