import type OpenAI from 'openai'
import type { Client } from 'portcall/client'
import { openaiTools } from 'portcall/openai'

/** An agent of the OpenAI SDK. */
export async function runAgent(client: Client, openai: OpenAI) {
  const runner = openai.chat.completions.runTools({
    model: 'gpt-5',
    messages: [{ role: 'user', content: 'Close the tickets about lamps.' }],
    tools: await openaiTools(client),
  })
  return runner.finalContent()
}
