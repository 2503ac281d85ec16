/** The page of the test host. Its program calls `window.portcallHost`. */
import type { AppUpdate } from '../../apps/host/types.ts'
import { type PageEvent, type PageView, showView } from './show-view.ts'

declare global {
  interface Window {
    /** The functions of the page. */
    portcallHost: HostPage
    /** Reports an event to the program, as JSON. */
    portcallReport(event: string): Promise<void>
  }
}

/** The functions that the program calls. */
export interface HostPage {
  /** Shows the view. */
  show(view: PageView): void
  /** Tells the view what is new. */
  update(update: AppUpdate): void
  /** Closes the view. */
  close(): Promise<void>
}

const element = document.getElementById('view') as HTMLElement
const setMode = (mode: string): void => void (document.documentElement.dataset.mode = mode)
/** Errors are no JSON. */
const toJson = (event: PageEvent): string =>
  JSON.stringify(event, (_, value) =>
    value instanceof Error ? { code: (value as { code?: unknown }).code, message: value.message } : value,
  )

let shown: ReturnType<typeof showView> | undefined
window.portcallHost = {
  show(view) {
    setMode(view.context?.displayMode ?? 'inline')
    shown = showView(element, view, (event) => {
      if (event.type === 'mode') setMode(event.mode)
      void window.portcallReport(toJson(event))
    })
  },
  update(update) {
    if (update.context?.displayMode) setMode(update.context.displayMode)
    shown?.update(update)
  },
  async close() {
    await shown?.close()
    shown = undefined
  },
}
