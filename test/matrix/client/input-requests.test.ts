import { setTimeout as sleep } from 'node:timers/promises'
import type { FormRequest, UrlRequest } from 'portcall/client'
import { InputHandlerError, InvalidResultError } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'
import { expect } from 'vitest'
import {
  callText,
  clientMatrix,
  GAPS,
  INPUT_HANDLERS,
  openPeer,
  type Peer,
  readJournal,
  SAMPLE,
  viewWire,
} from './client-matrix.ts'

/** Installs a handler that returns the responses in turn, and collects the input requests. */
function respondInTurn<Q, A>(peer: Peer, kind: keyof Peer['inputHandlers'], ...answers: A[]): Q[] {
  const questions: Q[] = []
  const answer = (question: Q): A => {
    questions.push(question)
    return answers[Math.min(questions.length, answers.length) - 1] as A
  }
  peer.inputHandlers = { ...INPUT_HANDLERS, [kind]: answer }
  return questions
}

clientMatrix('input requests', (it) => {
  it(
    'ELI-007 ELI-013 BASE-019 one function handles forms in every era, and its response reaches the handler',
    async (peer) => {
      const forms = respondInTurn<FormRequest, JsonObject>(peer, 'elicit', { name: 'Grace' })
      expect(await callText(peer, 'asks')).toBe('Hello, Grace')
      expect(forms).toMatchObject([
        { message: 'Who are you?', schema: { properties: { name: { type: 'string' } }, required: ['name'] } },
      ])
    },
    GAPS.elicitation,
  )

  it(
    'ELI-013 ELI-018 decline and cancel are passed on',
    async (peer) => {
      for (const action of ['decline', 'cancel'] as const)
        for (const response of [action, { action }]) {
          respondInTurn(peer, 'elicit', response)
          expect(await callText(peer, 'asks_kindly')).toBe(`declined: ${action}`)
          expect((await peer.client.callTool('asks')).isError).toBe(true)
        }
    },
    GAPS.elicitation,
  )

  it(
    'ELI-023 a response that does not match the form is not sent',
    async (peer) => {
      const wire = viewWire(peer)
      for (const response of [{ age: 7 }, { age: 'old' }, {}] as JsonObject[]) {
        respondInTurn(peer, 'elicit', response)
        const call = peer.client.callTool('asks_age')
        if (peer.era === 'modern') await expect(call).rejects.toBeInstanceOf(InputHandlerError)
        else expect((await call).isError).toBe(true)
      }
      expect(JSON.stringify(wire.sent())).not.toContain('accept')
      for (const answer of wire.responses()) expect(answer.error).toMatchObject({ code: -32602 })
    },
    GAPS.elicitation,
  )

  it(
    'ELI-012 ELI-014 a form includes its defaults, and missing fields are filled in with them',
    async (peer) => {
      const forms = respondInTurn<FormRequest, JsonObject>(peer, 'elicit', { name: 'Grace' })
      expect(JSON.parse((await callText(peer, 'asks_form')) ?? '')).toMatchObject({
        name: 'Grace',
        age: 36,
        agree: true,
        size: 'M',
      })
      expect(Object.keys(forms[0]?.schema.properties ?? {})).toEqual(
        expect.arrayContaining(['name', 'mail', 'age', 'weight', 'agree', 'size', 'colour']),
      )
      expect(forms[0]?.defaults).toMatchObject({ agree: true })
    },
    GAPS.elicitation,
  )

  it(
    'an input handler that throws does not answer, and its error is not disclosed to the server',
    async (peer) => {
      peer.inputHandlers.elicit = () => {
        throw new Error('canary: the screen is broken')
      }
      const wire = viewWire(peer)
      const call = peer.client.callTool('asks_kindly')
      if (peer.era === 'modern')
        await expect(call).rejects.toMatchObject({ code: 'INPUT_HANDLER_FAILED', cause: expect.any(Error) })
      else expect((await call).content).toMatchObject([{ text: 'declined: cancel' }])
      expect(JSON.stringify(wire.sent())).not.toContain('canary')
    },
    GAPS.elicitation,
  )

  it(
    'ELI-020 ELI-031 ELI-042 a visit is requested with the complete URL',
    async (peer) => {
      const pages = respondInTurn<UrlRequest, string>(peer, 'elicitUrl', 'accept', 'decline')
      expect(await callText(peer, 'asks_url')).toBe('signed in')
      expect(pages).toEqual([{ message: 'Please sign in', url: 'https://example.com/sign-in' }])
      expect((await peer.client.callTool('asks_url')).isError).toBe(true)
    },
    GAPS.urlElicitation,
  )

  it('SMP-006 the model is sampled', async (peer) => {
    const requests = respondInTurn<JsonObject, typeof SAMPLE>(peer, 'sample', SAMPLE)
    expect(await callText(peer, 'asks_model')).toContain('test-model')
    expect(requests).toMatchObject([{ maxTokens: 5, messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }] }])
  })

  it('SMP-007 SMP-008 several blocks of the model are sent as the revision allows', async (peer, { revision }) => {
    const content = [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ]
    respondInTurn(peer, 'sample', { ...SAMPLE, content })
    const text = (await callText(peer, 'asks_model')) ?? ''
    if (revision < '2025-11-25') expect(text).toContain('one\\ntwo')
    else expect(text).toContain('"two"')
  })

  it(
    'SMP-008 the model may use tools',
    async (peer) => {
      const content = [{ type: 'tool_use', id: '1', name: 'add', input: {} }]
      const requests = respondInTurn<JsonObject, object>(peer, 'sample', { ...SAMPLE, content, stopReason: 'toolUse' })
      expect(await callText(peer, 'asks_model_with_tools')).toBe('toolUse')
      expect(requests[0]?.tools).toMatchObject([{ name: 'add' }])
    },
    GAPS.samplingTools,
  )

  it('ROO-002 the roots are sent', async (peer) => {
    expect(await callText(peer, 'asks_roots')).toBe('file:///home file:///tmp')
  })

  it('MRTR-006 MRTR-007 MRTR-008 concurrent input requests are answered in one round trip', async (peer) => {
    peer.inputHandlers = { ...INPUT_HANDLERS }
    const wire = viewWire(peer)
    expect(await callText(peer, 'asks_model_and_roots')).toBe('test-model 2')
    const calls = wire.sent('tools/call') as { id: unknown; params: JsonObject }[]
    if (peer.era === 'legacy') {
      expect(calls).toHaveLength(1)
      expect(wire.responses()).toHaveLength(2)
      return
    }
    const [question] = wire.received().flatMap(({ result }) => result ?? []) as JsonObject[]
    const [first, second] = calls.map(({ params }) => params)
    expect(calls).toHaveLength(2)
    expect(calls[0]?.id).not.toBe(calls[1]?.id)
    expect(second).toEqual({ ...first, inputResponses: second?.inputResponses, requestState: question?.requestState })
    expect(Object.keys(second?.inputResponses as object).sort()).toEqual(Object.keys(question?.inputRequests as object).sort())
  })

  it(
    'MRTR-012 sequential input requests are answered; a step runs once',
    async (peer) => {
      respondInTurn(peer, 'elicit', { name: 'Ada' }, { name: 'Bob' })
      expect(await callText(peer, 'asks_in_turn')).toBe('Ada, Bob')
      await readJournal(peer)
      expect(await callText(peer, 'asks_once')).toMatch(/^Bob: receipt \d+$/)
      expect((await readJournal(peer)).filter((entry) => entry === 'charged')).toHaveLength(1)
      expect(await callText(peer, 'asks_with_luggage')).toBe('Bob with 50000')
    },
    GAPS.elicitation,
  )

  it(
    'MRTR-010 input requests of concurrent calls are answered separately',
    async (peer) => {
      const names = ['Ada', 'Bob', 'Cyd', 'Dee']
      let next = 0
      peer.inputHandlers.elicit = async () => {
        const name = names[next++] ?? ''
        await sleep(20 - 5 * next)
        return { name }
      }
      const texts = await Promise.all(names.map(() => callText(peer, 'asks')))
      expect(texts.sort()).toEqual(names.map((name) => `Hello, ${name}`))
    },
    GAPS.elicitation,
  )

  it(
    'MRTR-002 prompts and resources may request input',
    async (peer) => {
      peer.inputHandlers = { ...INPUT_HANDLERS }
      expect((await peer.client.getPrompt('asks')).messages).toMatchObject([{ content: { text: 'Be nice to Ada' } }])
      expect((await peer.client.readResource('memo://asks')).contents).toMatchObject([{ text: 'read by Ada' }])
    },
    GAPS.elicitation,
  )

  it(
    'timeouts do not run while an input handler works',
    async (peer) => {
      // Each round trip must fit in the request timeout, so on a slow machine the test repeats with a slower handler.
      const thinking = (ms: number): Promise<string | undefined> => {
        peer.inputHandlers.elicit = async () => {
          await sleep(ms)
          return { name: 'Ada' }
        }
        return callText(peer, 'asks', {}, { timeouts: { requestTimeoutMs: 0.75 * ms } })
      }
      expect(await thinking(200).catch(() => thinking(4000))).toBe('Hello, Ada')
    },
    GAPS.elicitation,
  )

  it(
    'CAN-001 an input request is cancelled together with its call',
    async (peer) => {
      const controller = new AbortController()
      const reason = new Error('never mind')
      const cancelled = new Promise<void>((resolve) => {
        peer.inputHandlers.elicit = (_form, { signal }) => {
          setTimeout(() => controller.abort(reason), 5)
          return new Promise((_, reject) =>
            signal.addEventListener('abort', () => {
              resolve()
              reject(signal.reason)
            }),
          )
        }
      })
      await expect(peer.client.callTool('asks', {}, { signal: controller.signal })).rejects.toBe(reason)
      await cancelled
      peer.inputHandlers = { ...INPUT_HANDLERS }
      expect(await callText(peer, 'asks')).toBe('Hello, Ada')
    },
    GAPS.elicitation,
  )

  it('LIFE-017 SMP-001 ELI-001 ROO-006 a client without input handlers receives no input requests', async (_, setup) => {
    const peer = await openPeer(setup, {})
    const wire = viewWire(peer)
    for (const name of ['asks', 'asks_url', 'asks_model', 'asks_roots']) {
      const outcome = await peer.client.callTool(name).catch((error: { code: number }) => error)
      if (peer.era === 'modern') expect(outcome).toMatchObject({ code: -32021 })
      else expect('code' in outcome || outcome.isError).toBe(true)
    }
    expect(wire.responses()).toEqual([])
  })

  it(
    'MRTR-013 the round trips of a call are limited',
    async (_, setup) => {
      const peer = await openPeer(setup, { ...INPUT_HANDLERS, maxRoundTrips: 1 })
      expect(await callText(peer, 'asks')).toBe('Hello, Ada')
      await expect(peer.client.callTool('asks_in_turn')).rejects.toBeInstanceOf(InvalidResultError)
    },
    GAPS.rounds,
  )
})
