import type Anthropic from '@anthropic-ai/sdk'
import { anthropicTools } from 'portcall/anthropic'
import type { Client } from 'portcall/client'

/** An agent of the Anthropic SDK. */
export async function runAgent(client: Client, anthropic: Anthropic) {
  const message = await anthropic.beta.messages.toolRunner({
    model: 'claude-sonnet-4-5',
    max_tokens: 1024,
    messages: [{ role: 'user', content: 'Close the tickets about lamps.' }],
    tools: await anthropicTools(client),
  })
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
