/** Prompts and argument completion. */
import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'prompts', version: '1.0.0' })

// #region prompt
server.prompt(
  'review',
  {
    title: 'Review code',
    description: 'Asks for a review',
    arguments: z.object({ code: z.string().describe('What to review'), tone: z.enum(['kind', 'strict']).default('kind') }),
  },
  ({ code, tone }) => [
    { role: 'user', content: { type: 'text', text: `Review this code. Be ${tone}.` } },
    { role: 'user', content: { type: 'text', text: code } },
  ],
)
// #endregion

// #region completion
const cities: Record<string, string[]> = { norway: ['Oslo', 'Bergen'], italy: ['Rome', 'Bologna'] }
const startsWith = (typed: string) => (name: string) => name.toLowerCase().startsWith(typed.toLowerCase())

server.prompt(
  'visit',
  {
    arguments: z.object({ country: z.string(), city: z.string() }),
    complete: {
      country: (typed) => Object.keys(cities).filter(startsWith(typed)),
      city: (typed, { arguments: { country = '' } }) => (cities[country] ?? []).filter(startsWith(typed)),
    },
  },
  ({ country, city }) => `Plan a weekend in ${city}, ${country}.`,
)
// #endregion
