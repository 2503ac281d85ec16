/** The last value of each event of a view. */

import type { AppToolTypes } from '../../protocol/apps.ts'
import type { App, AppEvents } from '../view/app.ts'
import { createStore, type ReadableStore } from './store.ts'

type EventName = keyof AppEvents<AppToolTypes>
type EventStores = { readonly [Name in EventName]: ReadableStore<AppEvents<AppToolTypes>[Name] | undefined> }

const storesOfApps = new WeakMap<App, EventStores>()

/** Returns the stores of a view. They are kept with it, so that a component that is mounted later has the value in its first render. */
export function eventStores(app: App): EventStores {
  const existing = storesOfApps.get(app)
  if (existing) return existing
  const stores: EventStores = {
    input: storeOf(app, 'input'),
    partialInput: storeOf(app, 'partialInput'),
    result: storeOf(app, 'result'),
    cancelled: storeOf(app, 'cancelled'),
    context: storeOf(app, 'context', app.context),
  }
  storesOfApps.set(app, stores)
  return stores
}

function storeOf<Name extends EventName>(
  app: App,
  name: Name,
  first?: AppEvents<AppToolTypes>[Name],
): ReadableStore<AppEvents<AppToolTypes>[Name] | undefined> {
  const store = createStore<AppEvents<AppToolTypes>[Name] | undefined>(first)
  app.on(name, store.write)
  return store
}
