/** The tools of a server in each supported major version of the AI SDK. */
import * as ai7 from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import * as ai5 from 'ai5'
import { MockLanguageModelV2 } from 'ai5/test'
import * as ai6 from 'ai6'
import { MockLanguageModelV3 } from 'ai6/test'
import { aiSampling, aiTools } from 'portcall/ai'
import { expect, test } from 'vitest'
import { connectAgent, PIXEL } from './support/agent-server.ts'

type Tools = Awaited<ReturnType<typeof aiTools>>

const call = (toolName: string) => ({ type: 'tool-call' as const, toolCallId: 'call-1', toolName, input: '{"a":1,"b":2}' })
const DONE = { type: 'text' as const, text: 'finished' }
const NO_TOKENS = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }
const USAGE = { inputTokens: NO_TOKENS, outputTokens: { total: 1, text: 1, reasoning: 0 } }

/** The input of the model: the schema of the tool, and the result. */
interface Seen {
  readonly tools: unknown
  readonly output: unknown
}

const VERSIONS: readonly (readonly [string, object, (tools: Tools, name: string) => Promise<Seen>])[] = [
  [
    '5',
    { type: 'media', data: PIXEL, mediaType: 'image/png' },
    async (tools, name) => {
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
      const turn = <T>(part: T, finishReason: 'tool-calls' | 'stop') => ({ content: [part], finishReason, usage, warnings: [] })
      const replies = [turn(call(name), 'tool-calls'), turn(DONE, 'stop')]
      const model = new MockLanguageModelV2({ doGenerate: async () => replies.shift() ?? turn(DONE, 'stop') })
      // AI SDK 5 has no type for schemas of other libraries.
      const options = { model, prompt: 'Go', tools: tools as unknown as ai5.ToolSet, stopWhen: ai5.stepCountIs(3) }
      expect((await ai5.generateText(options)).text).toBe('finished')
      return { tools: model.doGenerateCalls[0]?.tools, output: model.doGenerateCalls[1]?.prompt.at(-1)?.content }
    },
  ],
  [
    '6',
    { type: 'image-data', data: PIXEL, mediaType: 'image/png' },
    async (tools, name) => {
      const turn = <T>(part: T, unified: 'tool-calls' | 'stop') => ({
        content: [part],
        finishReason: { unified, raw: undefined },
        usage: USAGE,
        warnings: [],
      })
      const replies = [turn(call(name), 'tool-calls'), turn(DONE, 'stop')]
      const model = new MockLanguageModelV3({ doGenerate: async () => replies.shift() ?? turn(DONE, 'stop') })
      const { text } = await ai6.generateText({ model, prompt: 'Go', tools, stopWhen: ai6.stepCountIs(3) })
      expect(text).toBe('finished')
      return { tools: model.doGenerateCalls[0]?.tools, output: model.doGenerateCalls[1]?.prompt.at(-1)?.content }
    },
  ],
  [
    '7',
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PIXEL } },
    async (tools, name) => {
      const turn = <T>(part: T, unified: 'tool-calls' | 'stop') => ({
        content: [part],
        finishReason: { unified, raw: undefined },
        usage: USAGE,
        warnings: [],
      })
      const model = new MockLanguageModelV4({ doGenerate: [turn(call(name), 'tool-calls'), turn(DONE, 'stop')] })
      const { text } = await ai7.generateText({ model, prompt: 'Go', tools, stopWhen: ai7.stepCountIs(3) })
      expect(text).toBe('finished')
      return { tools: model.doGenerateCalls[0]?.tools, output: model.doGenerateCalls[1]?.prompt.at(-1)?.content }
    },
  ],
]

test.each(VERSIONS)('AI SDK %s: schemas, texts, images and errors', async (_, image, run) => {
  const tools = await aiTools(await connectAgent())
  const sum = await run(tools, 'math_add')
  expect(sum.tools).toMatchObject([
    { name: 'math_add', inputSchema: { type: 'object', required: ['a', 'b'] } },
    {},
    {},
    {},
    {},
    {},
    {},
  ])
  expect(sum.output).toMatchObject([{ output: { type: 'content', value: [{ type: 'text', text: '3' }] } }])
  expect((await run(tools, 'picture')).output).toMatchObject([{ output: { value: [{ type: 'text', text: 'A pixel' }, image] } }])
  expect((await run(tools, 'fail')).output).toMatchObject([{ output: { type: 'error-text', value: 'the printer is on fire' } }])
})

test('results of another process are converted to a form that AI SDK 6 and 7 accept', async () => {
  const { picture } = await aiTools(await connectAgent())
  const output = { content: [{ type: 'audio', data: PIXEL, mimeType: 'audio/wav' }] }
  expect(picture?.toModelOutput({ toolCallId: 'c', input: {}, output })).toEqual({
    type: 'content',
    value: [{ type: 'file-data', data: PIXEL, mediaType: 'audio/wav' }],
  })
})

test('AI SDK 5 and 6: models answer sampling requests', async () => {
  const turn = { content: [{ type: 'text' as const, text: 'short' }], warnings: [] }
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  const model5 = new MockLanguageModelV2({ modelId: 'mock', doGenerate: { ...turn, finishReason: 'stop', usage } })
  const model6 = new MockLanguageModelV3({
    modelId: 'mock',
    doGenerate: { ...turn, finishReason: { unified: 'stop', raw: undefined }, usage: USAGE },
  })
  for (const sample of [
    aiSampling({ generateText: ai5.generateText, model: model5 }),
    aiSampling({ generateText: ai6.generateText, model: model6 }),
  ]) {
    const client = await connectAgent({ sample })
    expect(await client.callTool('summarize')).toMatchObject({ content: [{ text: '{"type":"text","text":"short"}' }] })
  }
  for (const { doGenerateCalls } of [model5, model6]) expect(JSON.stringify(doGenerateCalls[0]?.prompt)).toContain('Be brief')
})
