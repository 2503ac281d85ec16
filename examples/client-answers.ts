/** A client that answers what servers ask while a call runs. */
import { type Client, connect, type FormRequest, type Target } from 'portcall/client'

/** What a host shows its user; the model is the host's own. */
export interface Host {
  fillIn(form: FormRequest): Promise<Record<string, unknown> | undefined>
  agrees(question: string): Promise<boolean>
  generate(prompt: string, signal: AbortSignal): Promise<string>
}

// #region answers
export function connectWithAnswers(target: Target, host: Host): Promise<Client> {
  return connect(target, {
    elicit: async (form) => (await host.fillIn(form)) ?? 'decline',

    elicitUrl: async ({ message, url }) => ((await host.agrees(`${message}\nOpen ${url} ?`)) ? 'accept' : 'decline'),

    sample: async ({ systemPrompt = '', messages }, { signal }) => {
      if (!(await host.agrees('May the server use your model?'))) throw new Error('The user said no')
      const text = await host.generate(`${systemPrompt}\n${JSON.stringify(messages)}`, signal)
      return { role: 'assistant', model: 'house-model', content: { type: 'text', text } }
    },

    roots: [{ uri: 'file:///home/ann/project', name: 'project' }],
  })
}
// #endregion
