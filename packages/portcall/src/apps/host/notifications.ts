/** The notifications of views. */
import type { JsonObject, Notification } from '../../jsonrpc/message.ts'
import { ruleOf, shownMethod, type ViewNotificationMethod } from './methods.ts'
import { type BridgeParts, findRefusal } from './requests.ts'

interface NotificationParts extends BridgeParts {
  readonly onReady: () => void
  readonly cancel: (id: unknown) => void
}

type Take = (params: JsonObject) => void

/** Creates the function that takes notifications. Wrong ones are ignored and reported. */
export function takeNotifications(parts: NotificationParts): (notification: Notification) => void {
  const takers = createTakers(parts)
  const ignore = (method: string, reason: string): void => parts.emit({ type: 'refused', method: shownMethod(method), reason })
  return ({ method, params = {} }) => {
    const rule = ruleOf(method, 'notification')
    if (!rule) return ignore(method, 'Unknown notification')
    const problem = findRefusal(rule, method, parts)?.message ?? rule.params(params, 'params')
    if (problem !== undefined) return ignore(method, problem)
    try {
      takers[method as ViewNotificationMethod](params)
    } catch (error) {
      parts.emit({ type: 'error', error })
    }
  }
}

function createTakers({ options, profile, enter, emit, onReady, cancel }: NotificationParts): {
  readonly [method in ViewNotificationMethod]: Take
} {
  const resize: Take = ({ width, height }) =>
    emit({
      type: 'size',
      ...(typeof width === 'number' && { width }),
      ...(typeof height === 'number' && { height }),
    })
  const nothing: Take = () => {}
  return {
    'ui/notifications/initialized'() {
      enter('ready')
      onReady()
    },
    'ui/notifications/size-changed': resize,
    'ui/notifications/size-change': resize,
    'ui/notifications/request-teardown'() {
      if (profile?.closesOnRequest !== false) options.onCloseRequest?.()
    },
    'notifications/message'({ level, logger, data }) {
      options.onLog?.({ level: String(level), data, ...(typeof logger === 'string' && { logger }) })
    },
    'notifications/cancelled': ({ requestId }) => cancel(requestId),
    'notifications/progress': nothing,
    'notifications/tools/list_changed': nothing,
  }
}
