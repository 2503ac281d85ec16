/** The connection of the page, which its components share: a host answers one handshake for each page. */
import type { AppToolTypes } from '../../protocol/apps.ts'
import type { App, AppOptions } from '../view/app.ts'
import { connectApp } from '../view/connect.ts'
import { eventStores } from './event-stores.ts'
import { createStore, type ReadableStore } from './store.ts'

/** The state of the connection. Both members are undefined during the handshake. */
export interface AppConnection<Tools extends AppToolTypes = AppToolTypes> {
  /** The connected view. */
  readonly app: App<Tools> | undefined
  /** The reason if the page could not be connected, an `AppError`. */
  readonly error: Error | undefined
}

const PENDING: AppConnection = { app: undefined, error: undefined }

const connection = createStore(PENDING)
let isConnecting = false

/** The state of the connection. */
export const pageConnection: ReadableStore<AppConnection> = connection

/** Returns the state of a page that a server renders. */
export const readOnServer = (): AppConnection => PENDING

/** Connects the page, unless it is connected or being connected. After an error, or if the view was closed, it is tried again. */
export async function openPageConnection(options: AppOptions): Promise<void> {
  if (isConnecting || connection.read().app) return
  isConnecting = true
  if (connection.read() !== PENDING) connection.write(PENDING)
  const state = await connectApp(options).then(
    (app) => ({ app: forgetOnClose(app), error: undefined }),
    (error: unknown) => ({ app: undefined, error: error instanceof Error ? error : new Error(String(error)) }),
  )
  if (state.app) eventStores(state.app)
  isConnecting = false
  connection.write(state)
}

function forgetOnClose(app: App): App {
  const { close } = app
  app.close = () => {
    close()
    connection.write(PENDING)
  }
  return app
}
