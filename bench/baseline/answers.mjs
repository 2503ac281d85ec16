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

const textResult = (text) => `"content":[{"type":"text","text":${JSON.stringify(text)}}]`

/** The input request of `ask`, as members of a message. */
export const QUESTION_REQUEST = membersOf({
  method: 'elicitation/create',
  params: { mode: 'form', message: QUESTION.message, requestedSchema: QUESTION.form },
})

/** The result of `ask` after the user has answered. */
export const greeting = ({ content }) => textResult(`Hello, ${content.name}`)

/** The tools. `run` returns the members of the result as JSON; where all results have the same shape, only the values are written. */
const TOOLS = {
  add: {
    ...ADD,
    run({ a, b }) {
      const sum = `{"sum":${a + b}}`
      return `${textResult(sum)},"structuredContent":${sum}`
    },
  },
  blob: { ...BLOB, run: ({ bytes }) => textResult(blobOf(bytes)) },
  measure: { ...MEASURE, run: ({ text }) => textResult(String(text.length)) },
  primes: { ...PRIMES, run: ({ below }) => textResult(String(countPrimes(below))) },
  ask: { ...ASK, input: { type: 'object' }, run: (_args, responses) => responses && greeting(responses.who) },
  progress: { ...PROGRESS, reports: true, run: () => textResult('done') },
  flood: { ...FLOOD, reports: true, run: () => textResult('done') },
}

/** Returns the members of an object as JSON, without the braces. */
function membersOf(object) {
  return JSON.stringify(object).slice(1, -1)
}

function report({ arguments: { count }, _meta }, notify) {
  const head = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${JSON.stringify(_meta.progressToken)},"progress":`
  for (let progress = 1; progress <= count; progress++) notify(`${head}${progress},"total":${count}}}`)
}

/** Returns the pages of the tool list by their cursors, as members of a result: a list that never changes is serialized once. */
function pagesOf(tools, page, hint) {
  const listed = [...tools].map(([name, { description, input, output }]) => {
    return { name, description, inputSchema: input, ...(output && { outputSchema: output }) }
  })
  const pages = new Map()
  for (let start = 0; start < listed.length; start += page) {
    const next = start + page < listed.length && { nextCursor: String(start + page) }
    pages.set(start ? String(start) : undefined, membersOf({ tools: listed.slice(start, start + page), ...hint, ...next }))
  }
  return pages
}

/**
 * Returns the message handler of a hand-written server. It looks responses up or puts them together as text, without any checks; what is the
 * same in every response is serialized at start-up.
 *
 * @param {import('../servers/arguments.mjs').ServerArguments} options
 * @returns {(message: object, notify: (text: string) => void) => string | undefined} the response as JSON, or nothing for a notification
 */
export function createAnswers({ mode, tools: count, page }) {
  const modern = mode === 'modern'
  const hint = modern && { ttlMs: 0, cacheScope: 'private' }
  const complete = modern ? '"resultType":"complete",' : ''
  const asked = `"resultType":"input_required","inputRequests":{"who":{${QUESTION_REQUEST}}}`

  const tools = new Map(Object.entries(TOOLS))
  for (const name of fillerNames(count))
    tools.set(name, { description: fillerDescription(name), input: FILLER_INPUT, run: ({ query }) => textResult(query) })

  const pages = pagesOf(tools, page, hint)
  const discovered = membersOf({ supportedVersions: ['2026-07-28'], capabilities: CAPABILITIES, serverInfo: SERVER, ...hint })

  const methods = {
    'server/discover': () => complete + discovered,
    initialize: ({ protocolVersion }) => membersOf({ protocolVersion, capabilities: CAPABILITIES, serverInfo: SERVER }),
    'tools/list': ({ cursor } = {}) => complete + pages.get(cursor),
    'tools/call': (params, notify) => {
      const { reports, run } = tools.get(params.name)
      if (reports) report(params, notify)
      const members = run(params.arguments, params.inputResponses)
      return members ? complete + members : asked
    },
  }

  return ({ id, method, params }, notify) => {
    if (id === undefined) return undefined
    return responseText(id, methods[method](params, notify))
  }
}

/** Returns a response as JSON. */
export const responseText = (id, members) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${members}}}`
