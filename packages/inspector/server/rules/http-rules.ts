import { parseObject } from '../../../portcall/src/jsonrpc/parse-object.ts'
import { revisionOf } from '../../../portcall/src/protocol/revisions.ts'
import type { RuleViolation } from '../protocol/timeline.ts'
import type { TappedResponseHead } from '../wire/http-tap.ts'
import { violation } from './violation.ts'

/** Returns what is wrong with the head of a response, if anything is. */
export type HeadRule = (head: TappedResponseHead, revision: string | undefined) => RuleViolation | undefined

const TRANSPORT = 'basic/transports#streamable-http'
const SESSION_ID = /^[\x21-\x7e]+$/

const isOk = (status: number): boolean => status >= 200 && status < 300

const contentType: HeadRule = (head, revision) => {
  const message = parseObject(head.requestBody)
  const type = head.headers['content-type'] ?? ''
  if (head.method !== 'POST' || !isOk(head.status) || !message || !('id' in message) || !('method' in message)) return undefined
  if (head.status === 202) return undefined
  return /^(application\/json|text\/event-stream)\s*(;|$)/i.test(type)
    ? undefined
    : violation(
        { rule: 'wrong-content-type', section: TRANSPORT },
        `The response to a request must be application/json or text/event-stream, not ${type || 'without a type'}`,
        { revision },
      )
}

const accepted: HeadRule = (head, revision) => {
  const message = parseObject(head.requestBody)
  const isAnswered = head.method === 'POST' && isOk(head.status) && message && !('id' in message && 'method' in message)
  return isAnswered && head.status !== 202
    ? violation(
        { rule: 'wrong-status', section: TRANSPORT },
        `A notification or a response is accepted with 202, not ${head.status}`,
        { revision },
      )
    : undefined
}

const streamType: HeadRule = ({ method, status, headers }, revision) =>
  method === 'GET' && isOk(status) && !/^text\/event-stream\b/i.test(headers['content-type'] ?? '')
    ? violation({ rule: 'wrong-content-type', section: TRANSPORT }, 'The response to GET must be text/event-stream', { revision })
    : undefined

const sessionId: HeadRule = ({ headers }, revision) => {
  const id = headers['mcp-session-id']
  if (id === undefined) return undefined
  if (!SESSION_ID.test(id))
    return violation({ rule: 'session-id', section: TRANSPORT }, 'The session id has characters that are not visible ASCII', {
      revision,
    })
  const hasSessions = revision === undefined || revisionOf(revision)?.http.sessions !== false
  return hasSessions
    ? undefined
    : violation({ rule: 'session-id', section: TRANSPORT, level: 'warning' }, `${revision} has no sessions, so no session id`, {
        revision,
      })
}

const challenge: HeadRule = ({ status, headers }, revision) =>
  status === 401 && headers['www-authenticate'] === undefined
    ? violation(
        { rule: 'missing-challenge', section: 'basic/authorization' },
        'A response with 401 needs WWW-Authenticate, which tells clients where to sign in',
        { revision },
      )
    : undefined

const redirect: HeadRule = ({ status, headers }, revision) =>
  status >= 300 && status < 400 && status !== 304 && headers.location === undefined
    ? violation(
        { rule: 'redirect-without-location', section: TRANSPORT, level: 'warning' },
        `A redirect (${status}) without Location`,
        {
          revision,
        },
      )
    : undefined

const buffering: HeadRule = ({ headers }, revision) =>
  /^text\/event-stream\b/i.test(headers['content-type'] ?? '') && /gzip|deflate|br/.test(headers['content-encoding'] ?? '')
    ? violation(
        { rule: 'compressed-stream', section: TRANSPORT, level: 'warning' },
        'The event stream is compressed: proxies may hold events back',
        { revision },
      )
    : undefined

/** All rules of the heads of responses. */
export const HEAD_RULES: readonly HeadRule[] = [contentType, accepted, streamType, sessionId, challenge, redirect, buffering]
