/** A client that handles elicitation, sampling and roots. */
import { type Client, type ConnectTarget, connect, type FormRequest } from 'portcall/client'

/** What your application provides: its UI and its model. */
export interface App {
  fillIn(form: FormRequest): Promise<Record<string, unknown> | undefined>
  confirm(question: string): Promise<boolean>
  generate(prompt: string, signal: AbortSignal): Promise<string>
}

export function connectApp(target: ConnectTarget, app: App): Promise<Client> {
  return connect(target, {
    elicit: async (form) => (await app.fillIn(form)) ?? 'decline',

    elicitUrl: async ({ message, url }) => ((await app.confirm(`${message}\nOpen ${url} ?`)) ? 'accept' : 'decline'),

    sample: async ({ systemPrompt = '', messages }, { signal }) => {
      if (!(await app.confirm('May the server use your model?'))) throw new Error('The user declined')
      const text = await app.generate(`${systemPrompt}\n${JSON.stringify(messages)}`, signal)
      return { role: 'assistant', model: 'example-model', content: { type: 'text', text } }
    },

    roots: [{ uri: 'file:///home/ann/project', name: 'project' }],
  })
}
