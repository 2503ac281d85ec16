/** The hooks of views, with Preact. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type AppHooks, createHooks } from './hooks.ts'

const hooks: AppHooks = createHooks({ useState, useSyncExternalStore })

/** The hook of React, which Preact has only in `preact/compat`. Preact renders without a break, so that two components never see different values. */
function useSyncExternalStore<T>(subscribe: (listener: () => void) => () => void, read: () => T): T {
  const value = read()
  const rendered = useRef(value)
  rendered.current = value
  const [, rerender] = useState({})
  useLayoutEffect(() => {
    const check = () => {
      if (read() !== rendered.current) rerender({})
    }
    check()
    return subscribe(check)
  }, [subscribe, read])
  return value
}

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
