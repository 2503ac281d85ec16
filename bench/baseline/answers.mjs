import {
  ADD,
  ASK,
  BLOB,
  blobOf,
  countPrimes,
  FILLER_INPUT,
  FLOOD,
  fillerDescription,
  fillerNames,
  MEASURE,
  PRIMES,
  PROGRESS,
  QUESTION,
} from '../servers/definitions.mjs'

const SERVER = { name: 'baseline', version: '1.0.0' }
const CAPABILITIES = { tools: {} }

const textResult = (text) => ({ content: [{ type: 'text', text }] })

/** The input request of `ask`. */
export const QUESTION_REQUEST = {
  method: 'elicitation/create',
  params: { mode: 'form', message: QUESTION.message, requestedSchema: QUESTION.form },
}

const ASKED = { resultType: 'input_required', inputRequests: { who: QUESTION_REQUEST } }

/** The result of `ask` after the user has answered. */
export const greeting = ({ content }) => textResult(`Hello, ${content.name}`)

const TOOLS = {
  add: { ...ADD, run: ({ a, b }) => ({ ...textResult(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }) },
  blob: { ...BLOB, run: ({ bytes }) => textResult(blobOf(bytes)) },
  measure: { ...MEASURE, run: ({ text }) => textResult(String(text.length)) },
  primes: { ...PRIMES, run: ({ below }) => textResult(String(countPrimes(below))) },
  ask: { ...ASK, input: { type: 'object' }, run: (_args, responses) => (responses ? greeting(responses.who) : ASKED) },
  progress: { ...PROGRESS, reports: true, run: () => textResult('done') },
  flood: { ...FLOOD, reports: true, run: () => textResult('done') },
}

function report({ arguments: { count }, _meta }, notify) {
  const { progressToken } = _meta
  for (let progress = 1; progress <= count; progress++)
    notify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress, total: count } })
}

/**
 * Returns the message handler of a hand-written server: it looks responses up and builds them, without any checks.
 *
 * @param {import('../servers/arguments.mjs').ServerArguments} options
 * @returns {(message: object, notify: (message: object) => void) => object | undefined} the response, or nothing for a notification
 */
export function createAnswers({ mode, tools: count, page }) {
  const modern = mode === 'modern'
  const hint = modern && { ttlMs: 0, cacheScope: 'private' }
  const tools = new Map(Object.entries(TOOLS))
  for (const name of fillerNames(count))
    tools.set(name, { description: fillerDescription(name), input: FILLER_INPUT, run: ({ query }) => textResult(query) })

  const methods = {
    'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities: CAPABILITIES, serverInfo: SERVER, ...hint }),
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: CAPABILITIES, serverInfo: SERVER }),
    'tools/list': ({ cursor }) => {
      const start = cursor ? Number(cursor) : 0
      const end = start + page
      const listed = [...tools].slice(start, end).map(([name, { description, input, output }]) => {
        return { name, description, inputSchema: input, ...(output && { outputSchema: output }) }
      })
      return { tools: listed, ...hint, ...(end < tools.size && { nextCursor: String(end) }) }
    },
    'tools/call': (params, notify) => {
      const { reports, run } = tools.get(params.name)
      if (reports) report(params, notify)
      return run(params.arguments, params.inputResponses)
    },
  }

  return ({ id, method, params }, notify) => {
    if (id === undefined) return undefined
    const result = methods[method](params ?? {}, notify)
    if (modern) result.resultType ??= 'complete'
    return { jsonrpc: '2.0', id, result }
  }
}
