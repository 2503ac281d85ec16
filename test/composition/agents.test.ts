/** The adapters for agents, with the real frameworks against mock models. */
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { generateText, stepCountIs } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import OpenAI from 'openai'
import { createServer } from 'portcall'
import { aiSampling, aiTools } from 'portcall/ai'
import { anthropicSampling, anthropicTools } from 'portcall/anthropic'
import { type Client, connect } from 'portcall/client'
import { langchainSampling, langchainTools } from 'portcall/langchain'
import { openaiSampling, openaiTools } from 'portcall/openai'
import { expect, onTestFinished, test } from 'vitest'
import { runAgent as runAiAgent } from './agents/ai.ts'
import { runAgent as runAnthropicAgent } from './agents/anthropic.ts'
import { runAgent as runLangchainAgent } from './agents/langchain.ts'
import { runAgent as runOpenaiAgent } from './agents/openai.ts'
import { connectAgent, PIXEL } from './support/agent-server.ts'

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const aiCall = (toolName: string, input: object) => ({
  content: [{ type: 'tool-call' as const, toolCallId: 'call-1', toolName, input: JSON.stringify(input) }],
  finishReason: { unified: 'tool-calls' as const, raw: undefined },
  usage: USAGE,
  warnings: [],
})
const aiText = (text: string) => ({
  content: [{ type: 'text' as const, text }],
  finishReason: { unified: 'stop' as const, raw: undefined },
  usage: USAGE,
  warnings: [],
})

/** Runs an agent of the AI SDK that calls one tool, and returns what the model gets of its result. */
async function runAi(toolName: string, input: object = {}, options: Parameters<typeof aiTools>[1] = {}) {
  const model = new MockLanguageModelV4({ doGenerate: [aiCall(toolName, input), aiText('finished')] })
  const tools = await aiTools(await connectAgent(), options)
  const { text } = await generateText({ model, prompt: 'Go', tools, stopWhen: stepCountIs(3) })
  expect(text).toBe('finished')
  return { output: model.doGenerateCalls[1]?.prompt.at(-1)?.content, tools: model.doGenerateCalls[0]?.tools }
}

test('AI SDK: tools are listed and called', async () => {
  const { output, tools } = await runAi('math_add', { a: 1, b: 2 })
  expect(tools?.[0]).toMatchObject({
    name: 'math_add',
    description: 'Add two numbers',
    inputSchema: { type: 'object', required: ['a', 'b'] },
  })
  expect(output).toMatchObject([{ output: { type: 'content', value: [{ type: 'text', text: '3' }] } }])
})

test('AI SDK: images, errors, elicitation, approval and progress', async () => {
  expect((await runAi('picture')).output).toMatchObject([
    { output: { value: [{ text: 'A pixel' }, { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PIXEL } }] } },
  ])
  expect((await runAi('fail')).output).toMatchObject([{ output: { type: 'error-text', value: 'the printer is on fire' } }])
  expect((await runAi('ask')).output).toMatchObject([{ output: { value: [{ text: 'Hello, Ada' }] } }])
  expect((await runAi('ask', {}, { approve: ({ tool: { name } }) => name !== 'ask' })).output).toMatchObject([
    { output: { type: 'error-text', value: 'The user did not approve this call.' } },
  ])
  const reported: unknown[] = []
  await runAi('work', {}, { onProgress: ({ tool: { name } }, progress) => reported.push([name, progress]) })
  expect(reported).toMatchObject([['work', { progress: 1, total: 2, message: 'half' }]])
})

test('AI SDK: an aborted run cancels the call', async () => {
  const controller = new AbortController()
  const model = new MockLanguageModelV4({ doGenerate: [aiCall('wait', {}), aiText('finished')] })
  const tools = await aiTools(await connectAgent())
  const run = generateText({ model, prompt: 'Go', tools, stopWhen: stepCountIs(3), abortSignal: controller.signal })
  setTimeout(() => controller.abort(new Error('stopped by the user')), 50)
  await expect(run).rejects.toThrow('stopped by the user')
})

test('AI SDK: a model answers sampling requests', async () => {
  const model = new MockLanguageModelV4({ modelId: 'mock-1', doGenerate: aiText('short') })
  const client = await connectAgent({ sample: aiSampling({ generateText, model }) })
  expect(await client.callTool('summarize')).toMatchObject({ content: [{ text: '{"type":"text","text":"short"}' }] })
  expect(JSON.stringify(model.doGenerateCalls[0]?.prompt)).toContain('Be brief')
  expect(model.doGenerateCalls[0]?.maxOutputTokens).toBe(100)
})

/** Returns an array, or an empty one for anything else. */
function itemsOf<T = object>(value: unknown): T[] {
  return Array.isArray(value) ? value : []
}

/** Starts a server that answers requests with prepared responses in turn, in JSON, and records the bodies. */
async function startProvider(responses: readonly object[]) {
  const bodies: Record<string, unknown>[] = []
  const server = createHttpServer(async (request, reply) => {
    let body = ''
    for await (const chunk of request) body += chunk
    bodies.push(JSON.parse(body))
    reply.setHeader('content-type', 'application/json').end(JSON.stringify(responses[bodies.length - 1]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies }
}

const completion = (message: object, reason: string) => ({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-mock',
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: reason }],
})
const functionCall = (name: string, args: object) =>
  completion(
    { tool_calls: [{ id: 'call-1', type: 'function', function: { name, arguments: JSON.stringify(args) } }] },
    'tool_calls',
  )

/** Runs an agent of the OpenAI SDK that calls one tool. */
async function runOpenai(name: string, args: object = {}) {
  const { baseURL, bodies } = await startProvider([functionCall(name, args), completion({ content: 'finished' }, 'stop')])
  const client = new OpenAI({ apiKey: 'x', baseURL, maxRetries: 0 })
  const tools = await openaiTools(await connectAgent())
  const runner = client.chat.completions.runTools({ model: 'gpt-mock', messages: [{ role: 'user', content: 'Go' }], tools })
  expect(await runner.finalContent()).toBe('finished')
  return { sent: bodies[0], result: itemsOf<{ content: string }>(bodies[1]?.messages).at(-1)?.content }
}

test('OpenAI: tools are called, in strict mode where the schema allows it', async () => {
  const { sent, result } = await runOpenai('math_add', { a: 1, b: 2, unit: null })
  expect(result).toBe('3')
  expect(itemsOf(sent?.tools)[0]).toEqual({
    type: 'function',
    function: expect.objectContaining({
      name: 'math_add',
      strict: true,
      parameters: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' }, unit: { type: ['string', 'null'] } },
        required: ['a', 'b', 'unit'],
        additionalProperties: false,
      },
    }),
  })
  expect((await runOpenai('fail')).result).toBe('Error: the printer is on fire')
  expect((await runOpenai('ask')).result).toBe('Hello, Ada')
  expect((await runOpenai('picture')).result).toBe('A pixel\n[image image/png]')
})

test('OpenAI: a model answers sampling requests', async () => {
  const { baseURL, bodies } = await startProvider([completion({ content: 'short' }, 'length')])
  const openai = new OpenAI({ apiKey: 'x', baseURL, maxRetries: 0 })
  const client = await connectAgent({ sample: openaiSampling({ client: openai, model: 'gpt-mock' }) })
  expect(await client.callTool('summarize')).toMatchObject({ content: [{ text: '{"type":"text","text":"short"}' }] })
  expect(bodies[0]).toMatchObject({
    max_completion_tokens: 100,
    messages: [{ role: 'system', content: 'Be brief' }, { role: 'user' }],
  })
})

const anthropicMessage = (content: object[], reason: string) => ({
  id: 'm1',
  type: 'message',
  role: 'assistant',
  model: 'claude-mock',
  content,
  stop_reason: reason,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
})

/** Runs an agent of the Anthropic SDK that calls one tool. */
async function runAnthropic(name: string, input: object = {}) {
  const { baseURL, bodies } = await startProvider([
    anthropicMessage([{ type: 'tool_use', id: 'call-1', name, input }], 'tool_use'),
    anthropicMessage([{ type: 'text', text: 'finished' }], 'end_turn'),
  ])
  const client = new Anthropic({ apiKey: 'x', baseURL, maxRetries: 0 })
  const tools = await anthropicTools(await connectAgent())
  const messages = [{ role: 'user' as const, content: 'Go' }]
  const message = await client.beta.messages.toolRunner({ model: 'claude-mock', max_tokens: 100, messages, tools })
  expect(message.content).toMatchObject([{ type: 'text', text: 'finished' }])
  const last = itemsOf<{ content: { content: unknown; is_error?: boolean }[] }>(bodies[1]?.messages).at(-1)
  return { sent: bodies[0], result: last?.content[0] }
}

test('Anthropic: tools are called, with images, errors and elicitation', async () => {
  const { sent, result } = await runAnthropic('math_add', { a: 1, b: 2 })
  expect(itemsOf(sent?.tools)[0]).toMatchObject({ name: 'math_add', input_schema: { type: 'object', required: ['a', 'b'] } })
  expect(result).toMatchObject({ content: [{ type: 'text', text: '3' }] })
  expect((await runAnthropic('picture')).result?.content).toMatchObject([
    { type: 'text' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
  ])
  const failure = (await runAnthropic('fail')).result
  expect(failure?.is_error).toBe(true)
  expect(JSON.stringify(failure?.content)).toContain('the printer is on fire')
  expect((await runAnthropic('ask')).result?.content).toMatchObject([{ text: 'Hello, Ada' }])
})

test('Anthropic: a model answers sampling requests', async () => {
  const { baseURL, bodies } = await startProvider([anthropicMessage([{ type: 'text', text: 'short' }], 'max_tokens')])
  const anthropic = new Anthropic({ apiKey: 'x', baseURL, maxRetries: 0 })
  const client = await connectAgent({ sample: anthropicSampling({ client: anthropic, model: 'claude-mock' }) })
  expect(await client.callTool('summarize')).toMatchObject({ content: [{ text: '{"type":"text","text":"short"}' }] })
  expect(bodies[0]).toMatchObject({ max_tokens: 100, system: 'Be brief' })
})

interface InvokedTool {
  readonly name: string
  invoke(call: unknown): Promise<unknown>
}

test('LangChain: tools are called, with artifacts, images and errors', async () => {
  const tools = (await langchainTools(await connectAgent(), { tool })) as InvokedTool[]
  const call = (name: string, args: object): Promise<BaseMessage> => {
    const message = new AIMessage({ content: '', tool_calls: [{ id: 'call-1', name, args, type: 'tool_call' }] })
    const [toolCall] = message.tool_calls ?? []
    return tools.find((one) => one.name === name)?.invoke({ ...toolCall, type: 'tool_call' }) as Promise<BaseMessage>
  }
  const sum = await call('math_add', { a: 1, b: 2 })
  expect(sum).toBeInstanceOf(ToolMessage)
  expect(sum).toMatchObject({ content: '3', artifact: { content: [{ type: 'text', text: '3' }] } })
  expect((await call('picture', {})).content).toMatchObject([
    { type: 'text' },
    { image_url: { url: `data:image/png;base64,${PIXEL}` } },
  ])
  await expect(call('fail', {})).rejects.toThrow('the printer is on fire')
  expect((await call('ask', {})).content).toBe('Hello, Ada')
})

test('LangChain: a model gets the tools, and answers sampling requests', async () => {
  const model = new FakeListChatModel({ responses: ['short'] })
  const client = await connectAgent({ sample: langchainSampling(model) })
  expect(await client.callTool('summarize')).toMatchObject({ content: [{ text: '{"type":"text","text":"short"}' }] })
})

/** A ticket system whose tickets an agent can close. */
async function connectTickets() {
  const closed: number[] = []
  const input = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } as const
  const server = createServer({ name: 'tickets', version: '1.0.0' }).tool('close', { input }, ({ id }) => {
    closed.push(id)
    return `Closed ticket ${id}`
  })
  const client = await connect(server)
  onTestFinished(() => client.close())
  return { client: client as unknown as Client, closed }
}

test('the example of the AI SDK asks before it calls a tool', async () => {
  const { client, closed } = await connectTickets()
  const questions: string[] = []
  const run = (answer: boolean) => {
    const model = new MockLanguageModelV4({ doGenerate: [aiCall('close', { id: 7 }), aiText('finished')] })
    return runAiAgent(client, model, async (question) => questions.push(question) > 0 && answer)
  }
  expect(await run(false)).toBe('finished')
  expect(closed).toEqual([])
  await run(true)
  expect(closed).toEqual([7])
  expect(questions).toEqual(['Allow close {"id":7}?', 'Allow close {"id":7}?'])
})

test('the examples of OpenAI and Anthropic call tools', async () => {
  const { client, closed } = await connectTickets()
  const openai = await startProvider([functionCall('close', { id: 1 }), completion({ content: 'finished' }, 'stop')])
  expect(await runOpenaiAgent(client, new OpenAI({ apiKey: 'x', baseURL: openai.baseURL, maxRetries: 0 }))).toBe('finished')
  const anthropic = await startProvider([
    anthropicMessage([{ type: 'tool_use', id: 'call-1', name: 'close', input: { id: 2 } }], 'tool_use'),
    anthropicMessage([{ type: 'text', text: 'finished' }], 'end_turn'),
  ])
  const sdk = new Anthropic({ apiKey: 'x', baseURL: anthropic.baseURL, maxRetries: 0 })
  expect(await runAnthropicAgent(client, sdk)).toBe('finished')
  expect(closed).toEqual([1, 2])
})

test('the example of LangChain calls tools', async () => {
  const { client, closed } = await connectTickets()
  const replies = [
    new AIMessage({ content: '', tool_calls: [{ id: 'call-1', name: 'close', args: { id: 3 } }] }),
    new AIMessage('finished'),
  ]
  class FakeToolModel extends BaseChatModel {
    override _llmType() {
      return 'fake'
    }
    override bindTools() {
      return this
    }
    override async _generate() {
      const message = replies.shift() ?? new AIMessage('no more replies')
      return { generations: [{ text: message.text, message }] }
    }
  }
  expect(await runLangchainAgent(client, new FakeToolModel({}))).toBe('finished')
  expect(closed).toEqual([3])
})
