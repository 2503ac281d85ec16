import { EVENTS_EXTENSION, EventMethod } from '../../protocol/events.ts'
import { METHODS, type MethodInfo, type MethodLookup } from '../../protocol/methods.ts'

/** The methods of the tasks extension. HTTP requests repeat the task that they concern in a header. */
export const TASK_METHODS: readonly string[] = ['tasks/get', 'tasks/update', 'tasks/cancel']

/** The methods of extensions that the gateway knows. */
const EXTENSION_METHODS: ReadonlyMap<string, MethodInfo> = new Map<string, MethodInfo>([
  ...TASK_METHODS.map((method) => [method, { nameParam: 'taskId' }] as const),
  ...Object.values(EventMethod).map((method) => [method, { extension: EVENTS_EXTENSION }] as const),
  [EventMethod.stream, { extension: EVENTS_EXTENSION, longLived: true }],
])

/** Looks up a method of the protocol, or of an extension that the gateway knows. */
export const gatewayMethodOf: MethodLookup = (method) => METHODS.get(method) ?? EXTENSION_METHODS.get(method)

/** The methods whose requests stay open until one side ends them. They are left out of limits on requests in flight. */
export const LONG_LIVED_METHODS: ReadonlySet<string> = new Set(
  [...METHODS, ...EXTENSION_METHODS].flatMap(([method, { longLived }]) => (longLived ? [method] : [])),
)
