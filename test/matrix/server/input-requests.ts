import { ElicitationDeclinedError, type Server } from 'portcall'
import * as z from 'zod'
import type { Journal } from './index.ts'

const Name = z.object({ name: z.string() })
const Age = z.object({ age: z.number().int().min(18).max(120) })
const SIZES = ['S', 'M', 'L']
const COLOURS = [
  { const: 'r', title: 'Red' },
  { const: 'g', title: 'Green' },
]

/** A form with one field of each kind, each with a default. */
export const FORM = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', minLength: 1, default: 'Ada' },
    mail: { type: 'string', format: 'email', default: 'ada@example.com' },
    age: { type: 'integer', minimum: 0, default: 36 },
    weight: { type: 'number', default: 60.5 },
    agree: { type: 'boolean', default: true },
    size: { type: 'string', enum: SIZES, default: 'M' },
    colour: { type: 'string', oneOf: COLOURS, default: 'r' },
    sizes: { type: 'array', items: { type: 'string', enum: SIZES }, default: ['S'] },
    colours: { type: 'array', items: { anyOf: COLOURS }, default: ['g'] },
  },
  required: ['name'],
} as const

const TOOLS = [{ name: 'add', description: 'Adds', inputSchema: { type: 'object' } }]

/** Tools that require elicitation, sampling or roots. */
export function addInputRequests(server: Server, journal: Journal): void {
  server.tool('asks', {}, async (_, call) => `Hello, ${(await call.elicit('Who are you?', Name)).name}`)
  server.tool('asks_kindly', {}, async (_, call) => {
    try {
      return (await call.elicit('Who are you?', Name)).name
    } catch (error) {
      if (error instanceof ElicitationDeclinedError) return `declined: ${error.action}`
      throw error
    }
  })
  server.tool('asks_age', {}, async (_, call) => `age ${(await call.elicit('How old are you?', Age)).age}`)
  server.tool('asks_form', {}, async (_, call) => JSON.stringify(await call.elicit('Fill in', FORM)))
  server.tool('asks_url', {}, async (_, call) => {
    await call.elicitUrl('Please sign in', 'https://example.com/sign-in')
    return 'signed in'
  })
  server.tool('asks_in_turn', {}, async (_, call) => {
    const first = await call.elicit('First?', Name)
    const second = await call.elicit('Second?', Name)
    return `${first.name}, ${second.name}`
  })
  server.tool('asks_once', {}, async (_, call) => {
    journal.push('run')
    try {
      const receipt = await call.step('charge', () => `receipt ${journal.push('charged')}`)
      const { name } = await call.elicit('Who are you?', Name)
      return `${name}: ${receipt}`
    } finally {
      journal.push('finally')
    }
  })
  server.tool('asks_with_luggage', {}, async (_, call) => {
    const luggage = await call.step('pack', () => 'x'.repeat(50_000))
    const { name } = await call.elicit('Who is traveling?', Name)
    return `${name} with ${luggage.length}`
  })
  server.tool('asks_model', {}, async (_, call) => {
    const { content, model } = await call.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
      maxTokens: 5,
    })
    return `${model}: ${JSON.stringify(content)}`
  })
  server.tool('asks_model_with_tools', {}, async (_, call) => {
    const { stopReason } = await call.sample({
      messages: [{ role: 'user', content: { type: 'text', text: '1+1' } }],
      maxTokens: 5,
      tools: TOOLS,
    })
    return `${stopReason}`
  })
  server.tool('asks_roots', {}, async (_, call) => (await call.roots()).map(({ uri }) => uri).join(' '))
  server.tool('asks_model_and_roots', {}, async (_, call) => {
    const message = { role: 'user', content: { type: 'text', text: 'Hi' } } as const
    const [{ model }, roots] = await Promise.all([call.sample({ messages: [message], maxTokens: 5 }), call.roots()])
    return `${model} ${roots.length}`
  })
}
