/** The hooks of views, with React. */
import { useState, useSyncExternalStore } from 'react'
import { type AppHooks, createHooks } from './hooks.ts'

const hooks: AppHooks = createHooks({ useState, useSyncExternalStore })

/**
 * Connects the page with its host, and returns the state: `{ app, error }`. All components of a page share one connection, which lasts as long as the page; the
 * options of the first call count. After an error, the next component that is mounted tries again.
 */
export const useApp: AppHooks['useApp'] = hooks.useApp

/** Returns the arguments of the tool call, or `undefined` before. */
export const useToolInput: AppHooks['useToolInput'] = hooks.useToolInput

/** Returns the arguments as far as the model has written them, or `undefined` before. */
export const usePartialToolInput: AppHooks['usePartialToolInput'] = hooks.usePartialToolInput

/** Returns the result of the tool call, or `undefined` before. */
export const useToolResult: AppHooks['useToolResult'] = hooks.useToolResult

/** Returns `{ reason }` if the tool call was cancelled. */
export const useToolCancelled: AppHooks['useToolCancelled'] = hooks.useToolCancelled

/** Returns the host's surroundings, merged with all changes: an empty object during the handshake. */
export const useHostContext: AppHooks['useHostContext'] = hooks.useHostContext
