/** The tools that every server of the benchmark registers, as plain JSON Schema. */

const object = (properties) => ({ type: 'object', properties, required: Object.keys(properties) })
const number = { type: 'number' }
const integer = { type: 'integer', minimum: 0 }

export const ADD = { description: 'Adds two numbers', input: object({ a: number, b: number }), output: object({ sum: number }) }
export const BLOB = { description: 'Gives a text of that many bytes', input: object({ bytes: integer }) }
export const MEASURE = { description: 'Returns the length of a text', input: object({ text: { type: 'string' } }) }
export const PROGRESS = { description: 'Reports progress that often', input: object({ count: integer }) }
export const FLOOD = {
  description: 'Reports progress that often, and never waits for the reader',
  input: object({ count: integer }),
}
export const PRIMES = { description: 'Counts the primes below a number', input: object({ below: integer }) }
export const WAIT = { description: 'Waits', input: object({ ms: integer }) }
export const ASK = { description: 'Asks for a name once' }

/** The form of `ask`, and its message. */
export const QUESTION = { message: 'What is your name?', form: object({ name: { type: 'string' } }) }

/** The input of a filler tool. */
export const FILLER_INPUT = {
  type: 'object',
  properties: {
    query: { type: 'string', description: 'What to look for' },
    limit: { type: 'integer', description: 'The most results that are wanted', minimum: 1, maximum: 100 },
    exact: { type: 'boolean', description: 'Whether the whole word has to match' },
    order: { type: 'string', enum: ['name', 'date', 'size'], description: 'How the results are sorted' },
    tags: { type: 'array', items: { type: 'string' }, description: 'Tags that a result has to have' },
  },
  required: ['query'],
}

/** Returns the names of the filler tools; with the other tools they make up the requested number. */
export const fillerNames = (tools) => Array.from({ length: Math.max(0, tools - 1) }, (_, index) => `tool_${index + 1}`)

export const fillerDescription = (name) => `Searches the collection ${name} and gives back what it finds there`

/** The work of a CPU-bound tool. */
export function countPrimes(below) {
  const composite = new Uint8Array(below)
  let count = 0
  for (let number = 2; number < below; number++) {
    if (composite[number]) continue
    count++
    for (let multiple = 2 * number; multiple < below; multiple += number) composite[multiple] = 1
  }
  return count
}

/** Returns a text of a given length, which is created once. */
const blobs = new Map()
export function blobOf(bytes) {
  if (!blobs.has(bytes)) blobs.set(bytes, 'x'.repeat(bytes))
  return blobs.get(bytes)
}
