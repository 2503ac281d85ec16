/** Shows one view in the page of the test host, and records what happens. */
import { type ShownApp, showApp } from '../../apps/host/show.ts'
import type { ShowAppOptions } from '../../apps/host/show-options.ts'
import type { AppEvent } from '../../apps/host/types.ts'
import { createServerClient } from './server-client.ts'

/** The options of a view in a page of ours: what can cross the border between program and page. */
export type PageView = Pick<ShowAppOptions, 'tool' | 'profile' | 'context' | 'handshakeTimeoutMs'> & {
  readonly input?: NonNullable<ShowAppOptions['input']>
  readonly view?: NonNullable<ShowAppOptions['view']>
  /** The URL of the proxy page. */
  readonly sandbox: string
}

/** Something that a view asked of its host, or an event. */
export type PageEvent = AppEvent | { readonly type: 'mode'; readonly mode: string }

/** Shows a view with all functions of a host: what the view asks for is reported, and agreed to. */
export function showView(element: HTMLElement, view: PageView, report: (event: PageEvent) => void): ShownApp {
  const modes = (): readonly string[] => app.bridge?.context.availableDisplayModes ?? []
  const agree = (): true => true
  const app = showApp({
    element,
    client: createServerClient(),
    ...view,
    onOpenLink: agree,
    onMessage: agree,
    onModelContext: agree,
    onDownload: agree,
    onLog() {},
    onDisplayMode(mode) {
      if (!modes().includes(mode)) return app.bridge?.context.displayMode ?? 'inline'
      report({ type: 'mode', mode })
      return mode
    },
    grant: (asked) => asked,
    onEvent: report,
  })
  return app
}
