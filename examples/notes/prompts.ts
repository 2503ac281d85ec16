/** Prompts with embedded notes. */
import { ErrorCode, RpcError, type Server } from 'portcall'
import * as z from 'zod'
import type { Notebook } from './notebook.ts'
import { completePath, contentsOf } from './resources.ts'
import { path } from './tools.ts'

export function addPrompts(server: Server, notebook: Notebook): void {
  const lengths = ['one sentence', 'one paragraph', 'five bullet points'] as const
  server.prompt(
    'summarise',
    {
      title: 'Summarise a note',
      description: 'Summarises one note',
      arguments: z.object({ path, length: z.enum(lengths).default('one paragraph').describe('How long the summary shall be') }),
      complete: { path: completePath(notebook), length: (typed) => lengths.filter((length) => length.startsWith(typed)) },
    },
    async ({ path, length }) => {
      const resource = await contentsOf(notebook, path)
      if (!resource) throw new RpcError(ErrorCode.invalidParams, `There is no note ${JSON.stringify(path)}`)
      return [
        { role: 'user', content: { type: 'resource', resource } },
        { role: 'user', content: { type: 'text', text: `Summarise this note in ${length}.` } },
      ]
    },
  )

  server.prompt(
    'answer',
    {
      title: 'Answer from the notes',
      description: 'Answers a question with what the notes say',
      arguments: z.object({
        question: z.string().min(1).max(1000).describe('What the notes are asked'),
        words: z.string().describe('What to search for'),
      }),
    },
    async ({ question, words }) => {
      const { matches } = notebook.index.search(words, 5)
      const found = await Promise.all(matches.map(({ path }) => contentsOf(notebook, path)))
      return [
        ...found
          .filter((resource) => resource !== undefined)
          .map((resource) => ({ role: 'user' as const, content: { type: 'resource' as const, resource } })),
        {
          role: 'user',
          content: { type: 'text', text: `${question}\n\nAnswer only from the notes above, and name the ones that you used.` },
        },
      ]
    },
  )
}
