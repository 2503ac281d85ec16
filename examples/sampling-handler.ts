import { type Client, connect } from 'portcall/client'

const MODEL_API = process.env.MODEL_API ?? 'http://127.0.0.1:11434/v1'
const MODEL = process.env.MODEL ?? 'llama3.2'

/** Connects with a model behind an OpenAI-compatible API, such as Ollama. `confirm` asks the user. */
export function connectWithModel(url: string, confirm: (question: string) => Promise<boolean>): Promise<Client> {
  return connect(url, {
    sample: async ({ systemPrompt, messages, maxTokens }, { signal }) => {
      const conversation = messages.map(({ role, content }) => ({ role, content: textOf(content) }))
      const question = conversation.at(-1)?.content
      if (!(await confirm(`The server wants to ask your model: ${question}`))) throw new Error('The user declined')

      const system = systemPrompt === undefined ? [] : [{ role: 'system', content: systemPrompt }]
      const response = await fetch(`${MODEL_API}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${process.env.MODEL_KEY ?? ''}` },
        body: JSON.stringify({ model: MODEL, max_tokens: maxTokens, messages: [...system, ...conversation] }),
        signal,
      })
      if (!response.ok) throw new Error(`The model API responded with HTTP ${response.status}`)
      const { choices } = await response.json()
      const text = String(choices[0].message.content)
      return { role: 'assistant', model: MODEL, content: { type: 'text', text }, stopReason: 'endTurn' }
    },
  })
}

/** Returns the text of a message, whose content may have several blocks. */
function textOf(content: unknown): string {
  const blocks: { text?: string }[] = [content].flat() as object[]
  return blocks.map(({ text = '' }) => text).join('\n')
}
