import { isObject, type JsonObject } from 'portcall/jsonrpc'
import { isLoggingLevel, MetaKey } from '../../../portcall/src/protocol/meta.ts'
import { revisionOf } from '../../../portcall/src/protocol/revisions.ts'
import type { MessageFacts, MessageRule } from './checker.ts'
import { checkShape } from './shape.ts'
import { paramsShape } from './shapes.ts'
import { violation } from './violation.ts'

const PROGRESS = 'basic/utilities/progress'
const CANCELLATION = 'basic/utilities/cancellation'
const LOGGING = 'server/utilities/logging'

function notificationOf({ classified }: MessageFacts, method: string): JsonObject | undefined {
  return classified.kind === 'notification' && classified.message.method === method
    ? (classified.message.params ?? {})
    : undefined
}

const progress: MessageRule = (facts, revision) => {
  const params = notificationOf(facts, 'notifications/progress')
  if (!params) return undefined
  const { request, lastProgress } = facts
  const pointer = '/params/progressToken'
  if (!request)
    return violation({ rule: 'unknown-progress-token', section: PROGRESS }, `No request asked for progress with this token`, {
      revision,
      pointer,
    })
  if (request.isAnswered === true || request.state === 'cancelled')
    return violation({ rule: 'late-progress', section: PROGRESS }, `Progress of ${request.method} after it had ended`, {
      revision,
      pointer,
    })
  return lastProgress !== undefined && typeof params.progress === 'number' && params.progress <= lastProgress
    ? violation(
        { rule: 'progress-must-increase', section: PROGRESS },
        `The progress ${params.progress} is not more than the one before, ${lastProgress}`,
        { revision, pointer: '/params/progress' },
      )
    : undefined
}

const cancelled: MessageRule = ({ classified, request }, revision) =>
  classified.kind === 'response' && request?.state === 'cancelled'
    ? violation(
        { rule: 'response-after-cancellation', section: CANCELLATION, level: 'warning' },
        `A response to ${request.method}, which had been cancelled`,
        { revision },
      )
    : undefined

const serverRequest: MessageRule = ({ classified }, revision) => {
  if (classified.kind !== 'request' || revision === undefined) return undefined
  const known = revisionOf(revision)
  const { method } = classified.message
  if (known?.era === 'modern')
    return violation(
      { rule: 'server-request', section: 'basic' },
      `In ${revision}, servers send no requests: ${method} must be an input request`,
      { revision, pointer: '/method' },
    )
  return known && !known.serverRequests.includes(method)
    ? violation({ rule: 'unknown-method', section: 'basic' }, `${revision} has no request ${method} of servers`, {
        revision,
        pointer: '/method',
      })
    : undefined
}

const notification: MessageRule = ({ classified }, revision) => {
  if (classified.kind !== 'notification' || revision === undefined) return undefined
  const { method } = classified.message
  const known = revisionOf(revision)
  const isStandard = method.startsWith('notifications/') && !/^notifications\/(tasks|skills)/.test(method)
  return known && isStandard && !known.notifications.includes(method)
    ? violation({ rule: 'unknown-notification', section: 'basic', level: 'warning' }, `${revision} has no ${method}`, {
        revision,
        pointer: '/method',
      })
    : undefined
}

const logLevel: MessageRule = (facts, revision) => {
  const params = notificationOf(facts, 'notifications/message')
  if (!params) return undefined
  if (!isLoggingLevel(params.level))
    return violation({ rule: 'log-level', section: LOGGING }, `The level ${JSON.stringify(params.level)} is unknown`, {
      revision,
      pointer: '/params/level',
    })
  const meta = facts.request?.params._meta
  const isModern = revision !== undefined && revisionOf(revision)?.era === 'modern'
  return isModern && facts.request && !(isObject(meta) && MetaKey.logLevel in meta)
    ? violation({ rule: 'unrequested-log', section: LOGGING }, 'A log message although the request asked for none', { revision })
    : undefined
}

const params: MessageRule = ({ classified }, version) => {
  if (classified.kind !== 'notification' && classified.kind !== 'request') return undefined
  const revision = version === undefined ? undefined : revisionOf(version)
  const { method, params: found } = classified.message
  const shape = revision && paramsShape(method, revision)
  return (
    shape &&
    checkShape(found ?? {}, shape, '/params').map(({ pointer, message }) =>
      violation({ rule: 'params-shape', section: 'schema' }, `${pointer} ${message}`, { revision: version, pointer }),
    )
  )
}

/** The rules that look at several messages, and those of what a server sends on its own. */
export const CONVERSATION_RULES: readonly MessageRule[] = [progress, cancelled, serverRequest, notification, logLevel, params]
