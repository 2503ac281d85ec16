import { ID_KEY, programOf } from './program.mjs'
import { createRequest, ID } from './request.mjs'
import { faultOf } from './verify.mjs'
import { isChecked, measureWindow } from './window.mjs'

const LARGE = 16 * 1024

/** Returns the id of the request that a line answers. Undefined for a notification. */
function idOf(line) {
  const at = line.indexOf(ID_KEY)
  return at < 0 ? undefined : Number(line.substr(at + ID_KEY.length, ID.length))
}

/** One of the requests in flight. After its response, the slot sends its next request. Ids of a slot are `step` apart. */
class Place {
  sentAt = 0
  #request
  #notifications = []
  #turn = 0

  constructor(request, { id, step }) {
    this.#request = { ...createRequest(`${request.line}\n`), check: request.check }
    this.id = id
    this.step = step
  }

  get checked() {
    return isChecked(this.#turn, 1)
  }

  /** The bytes of its next request. */
  next() {
    this.sentAt = performance.now()
    return this.#request.stamp(this.id)
  }

  notified(line) {
    if (this.checked) this.#notifications.push(line)
  }

  /** Processes the response and advances. Returns what is wrong with it, or undefined. */
  answered(line) {
    const messages = this.checked ? [...this.#notifications, line].map((text) => JSON.parse(text)) : undefined
    const fault = messages && faultOf(messages, this.id, this.#request.check)
    this.#notifications = []
    this.#turn++
    this.id += this.step
    return fault
  }
}

/** Sends the next requests of slots. Small ones are sent together, as by a client with several at hand. */
function sendNext(stdin, places) {
  const requests = places.map((place) => place.next())
  if (requests.length === 1 || requests[0].length > LARGE) for (const bytes of requests) stdin.write(bytes)
  else stdin.write(Buffer.concat(requests))
}

/** Keeps one request per slot in flight until `stopped()`; the ids of the first slot start at `base`. */
function keepBusy(program, { places, base }, { recorder, stopped }) {
  const [{ step }] = places
  let underWay = places.length

  const take = (line, now) => {
    const id = idOf(line)
    if (id === undefined) return places[0].notified(line)
    const place = places[(id - base) % step]
    if (place?.id !== id) throw new Error(`an answer that nobody waits for: ${line.slice(0, 200)}`)
    recorder.answered(place.sentAt, now)
    const fault = place.answered(line)
    if (fault) recorder.failed(fault)
    return place
  }
  return new Promise((resolve, reject) => {
    program.onFail = reject
    program.onLines = (lines) => {
      const now = performance.now()
      try {
        const free = lines.map((line) => take(line, now)).filter(Boolean)
        if (stopped()) underWay -= free.length
        else if (free.length) sendNext(program.stdin, free)
      } catch (error) {
        reject(error)
      }
      if (underWay === 0) resolve()
    }
    sendNext(program.stdin, places)
  })
}

/**
 * Creates the slots of a job for an open program. One request per slot is in flight while they are kept busy.
 *
 * @param {object} job `pid`, `concurrency`, `requests` as `{ line, check }`
 */
export async function openStdio({ pid, concurrency, requests }) {
  const program = programOf(pid)
  const base = program.nextId
  const places = Array.from({ length: concurrency }, (_, index) => {
    return new Place(requests[index % requests.length], { id: base + index, step: concurrency })
  })
  return {
    keepBusy: (how) => keepBusy(program, { places, base }, how),
    close() {
      program.nextId = Math.max(...places.map(({ id }) => id)) + concurrency
    },
  }
}

/** Calls a program. @param {object} job of `openStdio` and `measureWindow` */
export const runStdio = (job) => measureWindow(job, openStdio)
