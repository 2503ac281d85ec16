/** Values of headers that a peer chooses: encoded arguments, challenges, media types, `Host`, `Origin` and targets. */
import { readBearerChallenge, readChallenges } from '../../../packages/portcall/src/auth/client/discovery/challenge.ts'
import { decodeHeaderValue, encodeHeaderValue } from '../../../packages/portcall/src/protocol/header-params.ts'
import { isEventStream, isJson, parseAccept } from '../../../packages/portcall/src/transports/http/common/media-types.ts'
import { createHostCheck } from '../../../packages/portcall/src/transports/http/server/host-check.ts'
import { HttpError } from '../../../packages/portcall/src/transports/http/server/http-error.ts'
import type { HttpRequest } from '../../../packages/portcall/src/transports/http/server/types.ts'
import { pathOf } from '../../../packages/util/src/request-target.ts'
import { check, thrownBy } from './pieces.ts'

const checkHost = createHostCheck({})
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d*)?$/i
const LOOPBACK_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d*)?$/i

export function fuzz(data: Buffer): void {
  const text = data.toString()
  const wellFormed = new TextDecoder().decode(new TextEncoder().encode(text))
  check(decodeHeaderValue(encodeHeaderValue(wellFormed)) === wellFormed, 'an encoded value is decoded to itself')
  const decoded = decodeHeaderValue(data.toString('latin1'))
  if (decoded !== undefined) check(decodeHeaderValue(encodeHeaderValue(decoded)) === decoded, 'a decoded value can be encoded')
  readChallenges(text)
  readBearerChallenge(text)
  parseAccept(text)
  isJson(text)
  isEventStream(text)
  check(!pathOf(text).includes('?'), 'a path has no query')
  checkHosts(text)
}

function checkHosts(text: string): void {
  const [host = '', origin, target = '/mcp'] = text.split('\n', 3)
  const request = { host, target, header: () => origin } as unknown as HttpRequest
  const error = thrownBy(() => checkHost(request))
  if (error) return check(error instanceof HttpError, 'a request is refused with HttpError')
  check(LOOPBACK.test(host), 'only loopback names are accepted as hosts')
  check(origin === undefined || LOOPBACK_ORIGIN.test(origin), 'only loopback names are accepted as origins')
}
