import { exceedsDepth } from '../../jsonrpc/depth.ts'
import { ErrorCode } from '../../jsonrpc/errors.ts'
import { classify } from '../../jsonrpc/message.ts'
import { isModern } from '../../legacy/negotiate.ts'
import { revisionOf } from '../../protocol/revisions.ts'
import type { Endpoint, Lasting, Visit } from './endpoint.ts'
import { EMPTY_HEADERS, Header } from './headers.ts'
import { asHttpError, HttpError, refuse, sendError } from './http-error.ts'
import type { Legacy } from './legacy-half.ts'
import { isJson, USUAL_TYPE } from './media.ts'
import type { Modern } from './modern.ts'
import type { Body } from './types.ts'

/** The two halves of an endpoint; the second may be missing. */
export interface Eras {
  readonly modern: Modern
  readonly legacy: Legacy | undefined
}

type Verb = (visit: Visit, endpoint: Endpoint, eras: Eras) => Promise<Lasting | void> | void

/** What each HTTP method does. */
export const VERBS: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ['POST', post],
  ['GET', (visit, _, { legacy }) => legacyOnly(legacy, visit).get(visit)],
  ['DELETE', (visit, _, { legacy }) => legacyOnly(legacy, visit).remove(visit)],
])

async function post(visit: Visit, endpoint: Endpoint, { modern, legacy }: Eras): Promise<Lasting | void> {
  const { request } = visit
  checkHead(visit)
  const reading = request.readBody()
  const value = parseBody(reading instanceof Promise ? await reading : reading, endpoint.limits.maxJsonDepth)
  const version = request.header(Header.protocolVersion)
  if (Array.isArray(value)) {
    if (!legacy || isModern({}, version)) throw refuse(400, 'Invalid request: a body is one message')
    return legacy.batch(value, visit)
  }
  const received = classify(value)
  const id = received.kind === 'request' ? received.message.id : received.kind === 'invalid' ? received.id : undefined
  try {
    if (received.kind === 'invalid') throw new HttpError(400, {}, received.error)
    if (legacy && !isModern(received.message as object, version)) await legacy.post(received, visit)
    else if (received.kind === 'request') return await modern.serve(received.message, visit)
    else if (received.kind === 'notification') visit.reply.send(202, EMPTY_HEADERS)
    else throw refuse(400, 'Invalid request: a response answers nothing here')
  } catch (error) {
    sendError(visit.reply, asHttpError(error, endpoint.onError), id)
  }
}

/** Checks how a body is written, and that the caller takes an answer in some form that we have. */
function checkHead({ request, accepted }: Visit): void {
  const type = request.header(Header.contentType)
  if (type !== USUAL_TYPE && !isJson(type))
    throw refuse(415, 'Unsupported media type: the body has to be application/json in UTF-8')
  const encoding = request.header(Header.contentEncoding)
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw refuse(415, 'Unsupported content encoding', { 'accept-encoding': 'identity' })
  if (!accepted.json && !accepted.events) throw refuse(406, 'Not acceptable: answers are application/json or text/event-stream')
}

/** Methods that only the legacy era has. @throws HttpError 405 for callers of the other era, 400 for those of no era. */
function legacyOnly(legacy: Legacy | undefined, { request }: Visit): Legacy {
  const version = request.header(Header.protocolVersion)
  const era = version === undefined ? 'legacy' : revisionOf(version)?.era
  if (!legacy || era === 'modern') throw refuse(405, 'Method not allowed', { allow: 'POST' })
  if (!era) throw refuse(400, 'Unsupported protocol version')
  return legacy
}

/** Reads the JSON of a body. @throws HttpError 400 when it is not JSON, or nests deeper than `maxDepth`. */
function parseBody(body: Body, maxDepth: number): unknown {
  if ('parsed' in body) {
    if (isDeeper(body.parsed, maxDepth)) throw tooDeep(maxDepth)
    return body.parsed
  }
  if (exceedsDepth(body.text, maxDepth)) throw tooDeep(maxDepth)
  try {
    return JSON.parse(body.text)
  } catch {
    throw new HttpError(400, {}, { code: ErrorCode.parseError, message: 'Parse error: the body is not JSON' })
  }
}

function tooDeep(maxDepth: number): HttpError {
  return refuse(400, `Invalid request: the body nests deeper than ${maxDepth} levels`)
}

/** Goes down level by level, so that no nesting is too deep for it. */
function isDeeper(value: unknown, max: number): boolean {
  let level = containers([value])
  for (let depth = 0; depth < max; depth++) {
    if (level.length === 0) return false
    level = level.flatMap((container) => containers(Object.values(container)))
  }
  return level.length > 0
}

function containers(values: readonly unknown[]): object[] {
  return values.filter((value): value is object => typeof value === 'object' && value !== null)
}
