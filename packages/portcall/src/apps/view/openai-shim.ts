/** `window.openai` for pages that were written for ChatGPT, in every host. Source: https://developers.openai.com/apps-sdk/reference, November 2026. */
import type { AppToolTypes } from '../../protocol/apps.ts'
import type { App } from './app.ts'
import type { AppResult, DisplayMode, HostCapabilities, HostContext, Json } from './types.ts'

/** The values of `window.openai`. Each change is announced by the event `openai:set_globals` of the window. */
export interface OpenaiGlobals {
  /** The arguments of the tool call. */
  readonly toolInput: unknown
  /** The structured content of the result. */
  readonly toolOutput: unknown
  /** The `_meta` of the result. */
  readonly toolResponseMetadata: unknown
  /** The state that the page has set. Kept as long as the page is open. */
  readonly widgetState: unknown
  /** The color theme. */
  readonly theme: 'light' | 'dark'
  /** The language of the user, BCP 47. */
  readonly locale: string
  /** The kind of the device. */
  readonly userAgent: {
    /** The device. */
    readonly device: {
      /** `mobile` or `desktop`. */
      readonly type: string
    }
    /** `hover` and `touch`: true or false. */
    readonly capabilities: Json
  }
  /** The largest height of the frame, px. */
  readonly maxHeight: number | undefined
  /** How the view is shown. */
  readonly displayMode: DisplayMode
  /** Px that the host covers at each edge. */
  readonly safeArea: {
    /** `top`, `right`, `bottom` and `left`. */
    readonly insets: Json
  }
}

/** The methods of `window.openai`. A method is absent if the host has no counterpart, so that pages can tell. */
export interface OpenaiMethods {
  /** Calls a tool of the view's server. */
  callTool?(name: string, args: Json): Promise<AppResult>
  /** Writes into the conversation in the user's name. */
  sendFollowUpMessage?(message: { readonly prompt: string }): Promise<void>
  /** Opens an address. */
  openExternal?(link: { readonly href: string }): Promise<void>
  /** Asks for another display mode. */
  requestDisplayMode?(request: { readonly mode: DisplayMode }): Promise<{
    /** The mode that the host chose. */
    readonly mode: DisplayMode
  }>
  /** Asks the host to remove the view. */
  requestClose(): void
  /** Keeps a state, and tells the model if the host can. */
  setWidgetState(state: unknown): Promise<void>
  /** Reports the height of the page, px. */
  notifyIntrinsicHeight(height: number): void
}

/** The object that pages for ChatGPT use. */
export type OpenaiApi = OpenaiGlobals & OpenaiMethods

const EVENT = 'openai:set_globals'

/**
 * Sets `window.openai` for a connected view, and keeps it up to date. In ChatGPT, where it is there already, nothing is changed. Returns the object.
 */
export function openaiShim<Tools extends AppToolTypes>(app: App<Tools>): OpenaiApi {
  const page = globalThis as unknown as Window & { openai?: OpenaiApi }
  if (page.openai) return page.openai
  const openai = { ...globalsOf(app.context), toolInput: null, toolOutput: null, toolResponseMetadata: null, widgetState: null }
  const change = (globals: Partial<OpenaiGlobals>): void => {
    Object.assign(openai, globals)
    page.dispatchEvent(new CustomEvent(EVENT, { detail: { globals } }))
  }
  const api: OpenaiApi = Object.assign(openai, methodsOf(app as unknown as App, change))
  page.openai = api
  app.on('input', (toolInput) => change({ toolInput }))
  app.on('result', ({ structuredContent, _meta }) =>
    change({ toolOutput: structuredContent ?? null, toolResponseMetadata: _meta ?? null }),
  )
  app.on('context', (context) => change(globalsOf(context)))
  return api
}

function globalsOf(
  context: HostContext,
): Omit<OpenaiGlobals, 'toolInput' | 'toolOutput' | 'toolResponseMetadata' | 'widgetState'> {
  const { theme, locale, displayMode, containerDimensions, safeAreaInsets, platform, deviceCapabilities } = context
  return {
    theme: theme ?? 'light',
    locale: locale ?? 'en-US',
    displayMode: displayMode ?? 'inline',
    maxHeight: containerDimensions?.maxHeight ?? containerDimensions?.height,
    userAgent: {
      device: { type: platform === 'mobile' ? 'mobile' : 'desktop' },
      capabilities: { hover: platform !== 'mobile', touch: platform === 'mobile', ...(deviceCapabilities as Json | undefined) },
    },
    safeArea: { insets: { top: 0, right: 0, bottom: 0, left: 0, ...safeAreaInsets } },
  }
}

function methodsOf(app: App, change: (globals: Partial<OpenaiGlobals>) => void): OpenaiMethods {
  const offers = (capability: keyof HostCapabilities & string): boolean => app.capabilities[capability] !== undefined
  return {
    ...(offers('serverTools') && { callTool: (name: string, args: Json) => app.call(name, args) }),
    ...(offers('message') && { sendFollowUpMessage: ({ prompt }: { readonly prompt: string }) => app.message(prompt) }),
    ...(offers('openLinks') && { openExternal: ({ href }: { readonly href: string }) => app.openLink(href) }),
    ...((app.context.availableDisplayModes ?? []).length > 1 && {
      requestDisplayMode: async ({ mode }: { readonly mode: DisplayMode }) => ({ mode: await app.requestDisplayMode(mode) }),
    }),
    requestClose: () => app.requestTeardown(),
    async setWidgetState(widgetState) {
      change({ widgetState })
      if (offers('updateModelContext')) await app.updateContext({ structuredContent: { widgetState } })
    },
    notifyIntrinsicHeight: (height) => app.reportSize({ height }),
  }
}
