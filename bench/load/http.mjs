import { openConnection } from './connection.mjs'
import { createRequest, FIRST_ID, postText } from './request.mjs'
import { faultOf, messagesOf } from './verify.mjs'
import { isChecked, measureAlternately, measureWindow } from './window.mjs'

let nextId = FIRST_ID

/** What is wrong with a response; nothing when it is right. The body is there only when it is to be checked. */
function faultOfResponse(response, { checked, id, check }) {
  if (response.status !== 200) return `HTTP ${response.status}`
  return checked ? faultOf(messagesOf(response.body()), id, check) : undefined
}

/** What sends the requests of a job in turn over one connection, each when the one before is answered, until `stopped()`. */
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

/** Opens the connections of a job; all of them call at once while they are kept busy. */
async function openLoops(job) {
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

/**
 * Calls an HTTP server over so many connections at once, each in a closed loop.
 *
 * @param {HttpJob & object} job and what `measureWindow` takes
 *
 * @typedef {object} HttpJob `pid`, `host`, `port`, `path`, `concurrency`, `requests` as `{ headers, body, check }`, and `opening`: what each
 *   connection sends first, to open a session
 */
export async function runHttp(job) {
  const { keepBusy, close } = await openLoops(job)
  try {
    return await measureWindow(job, keepBusy)
  } finally {
    close()
  }
}

/** Calls several HTTP servers in turn, each for a moment at a time. @param {{ jobs: HttpJob[], ms: number }} job */
export async function runHttpAlternately({ jobs, ms }) {
  const opened = await Promise.all(jobs.map(openLoops))
  try {
    return await measureAlternately(
      opened.map(({ keepBusy }, nth) => ({ pid: jobs[nth].pid, keepBusy })),
      ms,
    )
  } finally {
    for (const { close } of opened) close()
  }
}
