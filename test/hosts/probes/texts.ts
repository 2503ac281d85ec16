import { type ProbeTool, probeTool, rulerText } from './probe-tool.ts'

/** Lengths near the limits that hosts have. */
const LENGTHS = [512, 1000, 1024, 1025, 2000, 2048, 2049, 3000, 4000, 4096, 4097, 5000, 8192, 10_000, 16_384, 20_000]

/** Tools with descriptions of these lengths. */
export const DESCRIPTION_PROBES: readonly (ProbeTool & { readonly length: number })[] = LENGTHS.map((length) => {
  const { description, ...probe } = probeTool(`description/${length}`, `description_${length}`)
  return { ...probe, description: description + rulerText(length - description.length), length }
})

/** Arguments with descriptions of these lengths. */
export const ARGUMENT_TEXT_PROBES: readonly (ProbeTool & { readonly length: number })[] = LENGTHS.map((length) => ({
  ...probeTool(`argument-description/${length}`, `argument_description_${length}`, {
    schema: { properties: { a: { type: 'string', description: rulerText(length) } } },
  }),
  length,
}))

/** The instructions of the server. */
export const INSTRUCTIONS: string = rulerText(20_000)

/** More tools than any host is known to accept. */
export const MANY_TOOLS: readonly ProbeTool[] = Array.from({ length: 300 }, (_, at) => probeTool(`many/${at}`, `many${at}`))
