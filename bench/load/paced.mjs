import { openConnection } from './connection.mjs'
import { createRecorder } from './recorder.mjs'
import { createRequest, FIRST_ID, postText } from './request.mjs'
import { faultOf, messagesOf } from './verify.mjs'

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Calls an HTTP server at a fixed rate over one connection. A call that is due while another one runs follows immediately. */
export async function runPaced(job) {
  const { connection, headers } = await openConnection(job, job.opening)
  const [{ headers: own, body, check }] = job.requests
  const { stamp } = createRequest(postText(job, { headers: { ...own, ...headers }, body }))
  const recorder = createRecorder(job)
  let id = FIRST_ID
  const call = async () => {
    const sentAt = performance.now()
    const response = await new Promise((resolve, reject) => {
      connection.listen(() => resolve(connection.response), reject)
      connection.send(stamp(++id), true)
    })
    recorder.answered(sentAt, performance.now())
    const fault = response.status === 200 ? faultOf(messagesOf(response.body()), id, check) : `HTTP ${response.status}`
    if (fault) recorder.failed(fault)
  }
  const startedAt = performance.now()
  for (let nth = 0; nth * job.everyMs < job.warmMs + job.ms; nth++) {
    const dueAt = startedAt + nth * job.everyMs
    if (dueAt > performance.now()) await wait(dueAt - performance.now())
    if (nth * job.everyMs >= job.warmMs && recorder.count() === 0) recorder.start()
    await call()
  }
  recorder.stop()
  connection.close()
  return recorder.sample()
}
