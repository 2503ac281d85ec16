/** A client that handles elicitation, sampling and roots. */
import { type Client, type ConnectTarget, connect, type FormRequest } from 'portcall/client'

/** The UI and the model of a host application. */
export interface Host {
  fillIn(form: FormRequest): Promise<Record<string, unknown> | undefined>
  agrees(question: string): Promise<boolean>
  generate(prompt: string, signal: AbortSignal): Promise<string>
}

// #region answers
export function connectWithAnswers(target: ConnectTarget, host: Host): Promise<Client> {
  return connect(target, {
    elicit: async (form) => (await host.fillIn(form)) ?? 'decline',

    elicitUrl: async ({ message, url }) => ((await host.agrees(`${message}\nOpen ${url} ?`)) ? 'accept' : 'decline'),

    sample: async ({ systemPrompt = '', messages }, { signal }) => {
      if (!(await host.agrees('May the server use your model?'))) throw new Error('The user declined')
      const text = await host.generate(`${systemPrompt}\n${JSON.stringify(messages)}`, signal)
      return { role: 'assistant', model: 'example-model', content: { type: 'text', text } }
    },

    roots: [{ uri: 'file:///home/ann/project', name: 'project' }],
  })
}
// #endregion
