import { setTimeout as sleep } from 'node:timers/promises'
import type { FormRequest, UrlRequest } from 'portcall/client'
import { InvalidResult, UnansweredInput } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'
import { expect } from 'vitest'
import { callText, clientMatrix, GAPS, HELPFUL, openPeer, type Peer, readJournal, SAMPLE, watch } from './clients.ts'

/** Gives answers one after the other, and keeps the questions. */
function inTurn<Q, A>(peer: Peer, kind: keyof Peer['answers'], ...answers: A[]): Q[] {
  const questions: Q[] = []
  const answer = (question: Q): A => {
    questions.push(question)
    return answers[Math.min(questions.length, answers.length) - 1] as A
  }
  peer.answers = { ...HELPFUL, [kind]: answer }
  return questions
}

clientMatrix('asking', (it) => {
  it(
    'ELI-007 ELI-013 BASE-019 a form is shown to one function in every era, and its answer reaches the handler',
    async (peer) => {
      const forms = inTurn<FormRequest, JsonObject>(peer, 'elicit', { name: 'Grace' })
      expect(await callText(peer, 'asks')).toBe('Hello, Grace')
      expect(forms).toMatchObject([
        { message: 'Who are you?', schema: { properties: { name: { type: 'string' } }, required: ['name'] } },
      ])
    },
    GAPS.elicitation,
  )

  it(
    'ELI-013 ELI-018 who declines or cancels is taken at his word',
    async (peer) => {
      for (const action of ['decline', 'cancel'] as const)
        for (const given of [action, { action }]) {
          inTurn(peer, 'elicit', given)
          expect(await callText(peer, 'asks_kindly')).toBe(`declined: ${action}`)
          expect((await peer.client.callTool('asks')).isError).toBe(true)
        }
    },
    GAPS.elicitation,
  )

  it(
    'ELI-023 an answer that does not fit the form never leaves',
    async (peer) => {
      const wire = watch(peer)
      for (const given of [{ age: 7 }, { age: 'old' }, {}] as JsonObject[]) {
        inTurn(peer, 'elicit', given)
        const call = peer.client.callTool('asks_age')
        if (peer.era === 'modern') await expect(call).rejects.toBeInstanceOf(UnansweredInput)
        else expect((await call).isError).toBe(true)
      }
      expect(JSON.stringify(wire.sent())).not.toContain('accept')
      for (const answer of wire.answered()) expect(answer.error).toMatchObject({ code: -32602 })
    },
    GAPS.elicitation,
  )

  it(
    'ELI-012 ELI-014 a form comes with its defaults, and what is left out is filled in by them',
    async (peer) => {
      const forms = inTurn<FormRequest, JsonObject>(peer, 'elicit', { name: 'Grace' })
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
    'a human who fails to answer is no answer, and why is not told to the server',
    async (peer) => {
      peer.answers.elicit = () => {
        throw new Error('canary: the screen is broken')
      }
      const wire = watch(peer)
      const call = peer.client.callTool('asks_kindly')
      if (peer.era === 'modern') await expect(call).rejects.toMatchObject({ code: 'UNANSWERED_INPUT', cause: expect.any(Error) })
      else expect((await call).content).toMatchObject([{ text: 'declined: cancel' }])
      expect(JSON.stringify(wire.sent())).not.toContain('canary')
    },
    GAPS.elicitation,
  )

  it(
    'ELI-020 ELI-031 ELI-042 a visit is asked for with its whole URL',
    async (peer) => {
      const pages = inTurn<UrlRequest, string>(peer, 'elicitUrl', 'accept', 'decline')
      expect(await callText(peer, 'asks_url')).toBe('signed in')
      expect(pages).toEqual([{ message: 'Please sign in', url: 'https://example.com/sign-in' }])
      expect((await peer.client.callTool('asks_url')).isError).toBe(true)
    },
    GAPS.urlElicitation,
  )

  it('SMP-006 the model is asked', async (peer) => {
    const asked = inTurn<JsonObject, typeof SAMPLE>(peer, 'sample', SAMPLE)
    expect(await callText(peer, 'asks_model')).toContain('test-model')
    expect(asked).toMatchObject([{ maxTokens: 5, messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }] }])
  })

  it('SMP-007 SMP-008 what the model says in several blocks is said as the revision can', async (peer, { revision }) => {
    const content = [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ]
    inTurn(peer, 'sample', { ...SAMPLE, content })
    const text = (await callText(peer, 'asks_model')) ?? ''
    if (revision < '2025-11-25') expect(text).toContain('one\\ntwo')
    else expect(text).toContain('"two"')
  })

  it(
    'SMP-008 the model may use tools',
    async (peer) => {
      const content = [{ type: 'tool_use', id: '1', name: 'add', input: {} }]
      const asked = inTurn<JsonObject, object>(peer, 'sample', { ...SAMPLE, content, stopReason: 'toolUse' })
      expect(await callText(peer, 'asks_model_with_tools')).toBe('toolUse')
      expect(asked[0]?.tools).toMatchObject([{ name: 'add' }])
    },
    GAPS.samplingTools,
  )

  it('ROO-002 the roots are told', async (peer) => {
    expect(await callText(peer, 'asks_roots')).toBe('file:///home file:///tmp')
  })

  it('MRTR-006 MRTR-007 MRTR-008 several questions at once are answered in one round', async (peer) => {
    peer.answers = { ...HELPFUL }
    const wire = watch(peer)
    expect(await callText(peer, 'asks_model_and_roots')).toBe('test-model 2')
    const calls = wire.sent('tools/call') as { id: unknown; params: JsonObject }[]
    if (peer.era === 'legacy') {
      expect(calls).toHaveLength(1)
      expect(wire.answered()).toHaveLength(2)
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
    'MRTR-012 one question after the other; a step is done once',
    async (peer) => {
      inTurn(peer, 'elicit', { name: 'Ada' }, { name: 'Bob' })
      expect(await callText(peer, 'asks_in_turn')).toBe('Ada, Bob')
      await readJournal(peer)
      expect(await callText(peer, 'asks_once')).toMatch(/^Bob: receipt \d+$/)
      expect((await readJournal(peer)).filter((entry) => entry === 'charged')).toHaveLength(1)
      expect(await callText(peer, 'asks_with_luggage')).toBe('Bob with 50000')
    },
    GAPS.elicitation,
  )

  it(
    'MRTR-010 questions of calls at the same time are answered each to its own',
    async (peer) => {
      const names = ['Ada', 'Bob', 'Cyd', 'Dee']
      let next = 0
      peer.answers.elicit = async () => {
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
    'MRTR-002 prompts and resources may ask too',
    async (peer) => {
      peer.answers = { ...HELPFUL }
      expect((await peer.client.getPrompt('asks')).messages).toMatchObject([{ content: { text: 'Be nice to Ada' } }])
      expect((await peer.client.read('memo://asks')).contents).toMatchObject([{ text: 'read by Ada' }])
    },
    GAPS.elicitation,
  )

  it(
    'no clock runs while a human thinks',
    async (peer) => {
      // A round may not take longer than a call may, so that a slow machine has a slower human.
      const thinking = (ms: number): Promise<string | undefined> => {
        peer.answers.elicit = async () => {
          await sleep(ms)
          return { name: 'Ada' }
        }
        return callText(peer, 'asks', {}, { deadlines: { requestMs: 0.75 * ms } })
      }
      expect(await thinking(200).catch(() => thinking(4000))).toBe('Hello, Ada')
    },
    GAPS.elicitation,
  )

  it(
    'CAN-001 a question is of no use any more when its call is given up',
    async (peer) => {
      const hangUp = new AbortController()
      const reason = new Error('never mind')
      const taken = new Promise<void>((resolve) => {
        peer.answers.elicit = (_form, { signal }) => {
          setTimeout(() => hangUp.abort(reason), 5)
          return new Promise((_, reject) =>
            signal.addEventListener('abort', () => {
              resolve()
              reject(signal.reason)
            }),
          )
        }
      })
      await expect(peer.client.callTool('asks', {}, { signal: hangUp.signal })).rejects.toBe(reason)
      await taken
      peer.answers = { ...HELPFUL }
      expect(await callText(peer, 'asks')).toBe('Hello, Ada')
    },
    GAPS.elicitation,
  )

  it('LIFE-017 SMP-001 ELI-001 ROO-006 who cannot answer is not asked', async (_, place) => {
    const peer = await openPeer(place, {})
    const wire = watch(peer)
    for (const name of ['asks', 'asks_url', 'asks_model', 'asks_roots']) {
      const outcome = await peer.client.callTool(name).catch((error: { code: number }) => error)
      if (peer.era === 'modern') expect(outcome).toMatchObject({ code: -32021 })
      else expect('code' in outcome || outcome.isError).toBe(true)
    }
    expect(wire.answered()).toEqual([])
  })

  it(
    'MRTR-013 the rounds of a call are limited',
    async (_, place) => {
      const peer = await openPeer(place, { ...HELPFUL, maxRounds: 1 })
      expect(await callText(peer, 'asks')).toBe('Hello, Ada')
      await expect(peer.client.callTool('asks_in_turn')).rejects.toBeInstanceOf(InvalidResult)
    },
    GAPS.rounds,
  )
})
