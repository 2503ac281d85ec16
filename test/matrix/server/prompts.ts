import type { Server } from 'portcall'
import * as z from 'zod'
import { BLOCKS } from './tools.ts'

const Greeting = z.object({ name: z.string().describe('Whom to greet'), tone: z.string().optional() })
const TONES: Record<string, string[]> = { Ada: ['formal', 'fond'], Bob: ['funny'] }
const NUMBERS = Array.from({ length: 150 }, (_, n) => `n${n}`)

/** Prompts with and without arguments, with every kind of content, and one that requires input. */
export function addPrompts(server: Server): void {
  server.prompt('plain', { title: 'Plain', description: 'Takes nothing' }, () => 'Just do it.')
  server.prompt(
    'greets',
    {
      description: 'Greets',
      arguments: Greeting,
      complete: {
        name: (value) => Object.keys(TONES).filter((name) => name.startsWith(value)),
        tone: (value, { arguments: { name = '' } }) => (TONES[name] ?? []).filter((tone) => tone.startsWith(value)),
      },
    },
    ({ name, tone }) => `Greet ${name}${tone ? ` in a ${tone} tone` : ''}.`,
  )
  server.prompt('counts', { arguments: z.object({ n: z.string() }), complete: { n: () => NUMBERS } }, ({ n }) => n)
  server.prompt('shows', { description: 'Shows every kind of content' }, () => ({
    description: 'Everything',
    messages: BLOCKS.map((content) => ({ role: 'assistant' as const, content })),
  }))
  server.prompt(
    'asks',
    {},
    async (_, call) => `Be nice to ${(await call.elicit('Who are you?', z.object({ name: z.string() }))).name}`,
  )
}
