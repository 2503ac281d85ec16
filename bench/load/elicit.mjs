import { openConnection } from './connection.mjs'
import { createRequest, FIRST_ID, ID, postText } from './request.mjs'
import { messagesOf } from './verify.mjs'
import { measureWindow } from './window.mjs'

const ANSWER = { action: 'accept', content: { name: 'Ada' } }
const QUESTION = /^data: ?(\{.*"elicitation\/create".*\})\r?$/m

let nextId = FIRST_ID

/** The expected end of a round trip. */
function check(messages, id) {
  const { result, error } = messages.find((message) => message.id === id) ?? {}
  if (result?.content?.[0]?.text !== 'Hello, Ada') throw new Error(`not greeted: ${JSON.stringify(error ?? result ?? messages)}`)
}

/** 2026-07-28: the result requests input, and the call is sent again with the response. */
async function callAgain({ connection }, job) {
  const { headers, body } = job.request
  const first = nextId++
  const second = nextId++
  const text = createRequest(postText(job, { headers, body })).stamp(first).latin1Slice()
  const [{ result }] = messagesOf((await connection.exchange(text)).body())
  const message = JSON.parse(body.replaceAll(ID, String(second)))
  const inputResponses = Object.fromEntries(Object.keys(result.inputRequests).map((key) => [key, ANSWER]))
  const state = result.requestState === undefined ? {} : { requestState: result.requestState }
  const again = JSON.stringify({ ...message, params: { ...message.params, inputResponses, ...state } })
  check(messagesOf((await connection.exchange(postText(job, { headers, body: again }))).body()), second)
}

/** Sessions: the input request arrives on the stream of the call, and is answered on another connection. */
async function answerQuestion({ connection, headers, other }, job) {
  const id = nextId++
  const all = { ...job.request.headers, ...headers }
  const text = createRequest(postText(job, { headers: all, body: job.request.body }))
    .stamp(id)
    .latin1Slice()
  let seen = ''
  const onData = (chunk) => {
    seen += chunk.latin1Slice()
    const question = QUESTION.exec(seen)
    if (!question) return
    connection.socket.off('data', onData)
    const body = JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(question[1]).id, result: ANSWER })
    void other.exchange(postText(job, { headers: all, body }))
  }
  connection.socket.on('data', onData)
  check(messagesOf((await connection.exchange(text)).body()), id)
}

const ROUNDS = { modern: callAgain, session: answerQuestion }

async function openPair(job) {
  const pair = await openConnection(job, job.opening)
  return { ...pair, other: (await openConnection(job, [])).connection }
}

async function keepAsking(pair, job, { recorder, stopped }) {
  while (!stopped()) {
    const sentAt = performance.now()
    await ROUNDS[job.mode](pair, job)
    recorder.answered(sentAt, performance.now())
  }
}

/** Opens the pairs of connections of a job; each calls and answers while it is kept busy. */
async function openPairs(job) {
  const pairs = await Promise.all(Array.from({ length: job.concurrency }, () => openPair(job)))
  return {
    keepBusy: (how) => Promise.all(pairs.map((pair) => keepAsking(pair, job, how))),
    close() {
      for (const { connection, other } of pairs) for (const one of [connection, other]) one.close()
    },
  }
}

/** Makes a tool request input and answers it, over several connections at once; a sample counts complete round trips. */
export const runElicit = (job) => measureWindow(job, openPairs)
