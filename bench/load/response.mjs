const HEAD_END = '\r\n\r\n'
const LAST_CHUNK = '\r\n0\r\n\r\n'

/**
 * Finds the end of an HTTP/1.1 response with as little work as possible: by its content length or by the last chunk. The body is
 * stored only on request; bytes are copied, because buffers are reused.
 */
export class Response {
  status = 0
  head = ''
  #early
  #length = 0
  #left = 0
  #chunked = false
  #tail = ''
  #parts

  /** Starts the next response; `keep` stores its body. */
  begin(keep) {
    this.status = 0
    this.#early = undefined
    this.#parts = keep ? [] : undefined
  }

  /** Processes received bytes and returns whether the response is complete. */
  push(chunk) {
    if (this.status !== 0) return this.#take(chunk)
    const bytes = this.#early ? Buffer.concat([this.#early, chunk]) : chunk
    const end = bytes.indexOf(HEAD_END)
    if (end < 0) {
      this.#early = Buffer.from(bytes)
      return false
    }
    this.#readHead(bytes.latin1Slice(0, end))
    return this.#take(end + HEAD_END.length === bytes.length ? undefined : bytes.subarray(end + HEAD_END.length))
  }

  /** Returns a header of the response. */
  header(name) {
    return new RegExp(`^${name}: *(.*)$`, 'im').exec(this.head)?.[1].trim()
  }

  /** Returns the stored body without chunk framing. */
  body() {
    const bytes = Buffer.concat(this.#parts)
    return this.#chunked ? unchunk(bytes) : bytes.toString()
  }

  /** Reuses the parsed head, because most are identical to the previous one. */
  #readHead(head) {
    if (head !== this.head) {
      this.head = head
      const length = /content-length: *(\d+)/i.exec(head)
      this.#chunked = !length && /transfer-encoding: *chunked/i.test(head)
      this.#length = length ? Number(length[1]) : 0
    }
    this.status = Number(head.slice(9, 12))
    this.#left = this.#length
    this.#tail = '\r\n'
  }

  #take(chunk) {
    if (!chunk) return !this.#chunked && this.#left === 0
    this.#parts?.push(Buffer.from(chunk))
    if (!this.#chunked) return (this.#left -= chunk.length) <= 0
    const seen =
      chunk.length < LAST_CHUNK.length ? this.#tail + chunk.latin1Slice() : chunk.latin1Slice(chunk.length - LAST_CHUNK.length)
    this.#tail = seen.slice(-LAST_CHUNK.length)
    return this.#tail === LAST_CHUNK
  }
}

function unchunk(bytes) {
  const parts = []
  let at = 0
  while (at < bytes.length) {
    const end = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.latin1Slice(at, end), 16)
    if (!size) break
    parts.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
  return Buffer.concat(parts).toString()
}
