/** The hooks of views, for frameworks with the hooks of React. */
import type { AppToolTypes } from '../../protocol/apps.ts'
import type { App, AppEvents, AppOptions } from '../view/app.ts'
import type { HostContext } from '../view/types.ts'
import { type AppConnection, openPageConnection, pageConnection, readOnServer } from './connection.ts'
import { eventStores } from './event-stores.ts'
import { createStore, type ReadableStore } from './store.ts'

/** The hooks of a framework that those of views need. */
export interface FrameworkHooks {
  useState<T>(first: () => T): readonly [T, unknown]
  useSyncExternalStore<T>(subscribe: (listener: () => void) => () => void, read: () => T, readOnServer: () => T): T
}

/** The hooks of views. `app` is the member of `useApp`'s state, or what `connectApp` returned. */
export interface AppHooks {
  /** Connects the page with its host, and returns the state. All components share one connection, which lasts as long as the page. */
  readonly useApp: <Tools extends AppToolTypes = AppToolTypes>(options: AppOptions) => AppConnection<Tools>
  /** Returns the arguments of the tool call. */
  readonly useToolInput: <Tools extends AppToolTypes>(app: App<Tools> | undefined) => AppEvents<Tools>['input'] | undefined
  /** Returns the arguments as far as the model has written them. */
  readonly usePartialToolInput: <Tools extends AppToolTypes>(
    app: App<Tools> | undefined,
  ) => AppEvents<Tools>['partialInput'] | undefined
  /** Returns the result of the tool call. */
  readonly useToolResult: <Tools extends AppToolTypes>(app: App<Tools> | undefined) => AppEvents<Tools>['result'] | undefined
  /** Returns the reason if the tool call was cancelled. */
  readonly useToolCancelled: <Tools extends AppToolTypes>(
    app: App<Tools> | undefined,
  ) => AppEvents<Tools>['cancelled'] | undefined
  /** Returns the host's surroundings: an empty object during the handshake. */
  readonly useHostContext: <Tools extends AppToolTypes>(app: App<Tools> | undefined) => HostContext
}

const NEVER: ReadableStore<undefined> = createStore(undefined)
const NO_CONTEXT: HostContext = {}

/** Creates the hooks of views from those of a framework. */
export function createHooks({ useState, useSyncExternalStore }: FrameworkHooks): AppHooks {
  const useEvent =
    <Name extends keyof AppEvents<AppToolTypes>>(name: Name) =>
    <Tools extends AppToolTypes>(app: App<Tools> | undefined): AppEvents<Tools>[Name] | undefined => {
      const store: ReadableStore<unknown> = app ? eventStores(app as unknown as App)[name] : NEVER
      return useSyncExternalStore(store.subscribe, store.read, NEVER.read) as AppEvents<Tools>[Name] | undefined
    }
  const useContext = useEvent('context')
  return {
    useApp<Tools extends AppToolTypes>(options: AppOptions) {
      const [subscribe] = useState(() => (listener: () => void) => {
        const unsubscribe = pageConnection.subscribe(listener)
        void openPageConnection(options)
        return unsubscribe
      })
      return useSyncExternalStore(subscribe, pageConnection.read, readOnServer) as unknown as AppConnection<Tools>
    },
    useToolInput: useEvent('input'),
    usePartialToolInput: useEvent('partialInput'),
    useToolResult: useEvent('result'),
    useToolCancelled: useEvent('cancelled'),
    useHostContext: (app) => useContext(app) ?? NO_CONTEXT,
  }
}
