import { generateText, type LanguageModel, stepCountIs } from 'ai'
import { aiTools } from 'portcall/ai'
import type { Client } from 'portcall/client'

/** An agent of the AI SDK that asks before it changes anything. */
export async function runAgent(client: Client, model: LanguageModel, confirm: (question: string) => Promise<boolean>) {
  const tools = await aiTools(client, {
    approve: async ({ tool, args }) =>
      tool.annotations?.readOnlyHint === true || confirm(`Allow ${tool.name} ${JSON.stringify(args)}?`),
  })
  const prompt = 'Close the tickets about lamps.'
  const { text } = await generateText({ model, tools, prompt, stopWhen: stepCountIs(10) })
  return text
}
