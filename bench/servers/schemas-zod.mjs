import * as z from 'zod'

/** The schemas of definitions.mjs, written with zod. */
export const SCHEMAS = {
  add: { input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) },
  blob: z.object({ bytes: z.number().int().min(0) }),
  measure: z.object({ text: z.string() }),
  progress: z.object({ count: z.number().int().min(0) }),
  person: z.object({ name: z.string() }),
  filler: z.object({
    query: z.string().describe('What to look for'),
    limit: z.number().int().min(1).max(100).optional().describe('The most results that are wanted'),
    exact: z.boolean().optional().describe('Whether the whole word has to match'),
    order: z.enum(['name', 'date', 'size']).optional().describe('How the results are sorted'),
    tags: z.array(z.string()).optional().describe('Tags that a result has to have'),
  }),
}
