import { openConnection } from './connection.mjs'
import { createRequest, FIRST_ID, postText } from './request.mjs'
import { faultOf, messagesOf } from './verify.mjs'
import { isChecked, measureWindow } from './window.mjs'

let nextId = FIRST_ID

/** Returns what is wrong with a response, or undefined. The body is present only when it is checked. */
function faultOfResponse(response, { checked, id, check }) {
  if (response.status !== 200) return `HTTP ${response.status}`
  return checked ? faultOf(messagesOf(response.body()), id, check) : undefined
}

/** Sends the requests of a job over one connection in a closed loop, until `stopped()`. */
function createLoop({ connection, headers }, job) {
  const requests = job.requests.map(({ headers: own, body, check }) => {
    return { ...createRequest(postText(job, { headers: { ...own, ...headers }, body })), check }
  })
  let turn = 0
  let sentAt = 0
  let sent

  const next = () => {
    const { stamp, check } = requests[turn % requests.length]
    sent = { id: nextId++, check, checked: isChecked(turn, requests.length) }
    turn++
    sentAt = performance.now()
    connection.send(stamp(sent.id), sent.checked)
  }
  return ({ recorder, stopped }) =>
    new Promise((resolve, reject) => {
      const onEnd = () => {
        recorder.answered(sentAt, performance.now())
        const fault = faultOfResponse(connection.response, sent)
        if (fault) recorder.failed(fault)
        if (stopped()) resolve()
        else next()
      }
      connection.listen(onEnd, reject)
      next()
    })
}

/**
 * Opens the connections of a job; each calls in a closed loop while it is kept busy.
 *
 * @param {object} job `host`, `port`, `path`, `concurrency`, `requests` as `{ headers, body, check }`, and `opening`: the requests that each
 *   connection sends first, to open a session
 */
export async function openHttp(job) {
  const opened = await Promise.all(
    Array.from({ length: job.concurrency }, () => openConnection({ ...job, lean: true }, job.opening)),
  )
  const loops = opened.map((one) => createLoop(one, job))
  return {
    keepBusy: (how) => Promise.all(loops.map((loop) => loop(how))),
    close() {
      for (const { connection } of opened) connection.close()
    },
  }
}

/** Calls an HTTP server. @param {object} job of `openHttp` and `measureWindow` */
export const runHttp = (job) => measureWindow(job, openHttp)
