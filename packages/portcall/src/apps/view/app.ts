/** The object that views work with. */
import type { AppToolTypes } from '../../protocol/apps.ts'
import type { AppRequestOptions } from './bridge.ts'
import type { AppResult, DisplayMode, HostCapabilities, HostContext, Json, ViewTool } from './types.ts'

/** The events of a view. The last value of each is kept for listeners that come later. */
export interface AppEvents<Tools extends AppToolTypes> {
  /** The arguments of the tool call, complete. */
  input: Tools[keyof Tools]['input']
  /** The arguments as far as the model has written them. */
  partialInput: Json
  /** The result of the tool call. */
  result: AppResult<Tools[keyof Tools]['output']>
  /** The tool call was cancelled. */
  cancelled: {
    /** The reason that the host gives. */
    reason?: string
  }
  /** The context, merged, after each change. */
  context: HostContext
}

/** The parameters of `App.call` after the name of the tool: the arguments may be left out if no member of them is required. */
export type CallParameters<Input> =
  Record<never, never> extends Input ? [input?: Input, options?: AppRequestOptions] : [input: Input, options?: AppRequestOptions]

/** A connected view. */
export interface App<Tools extends AppToolTypes = AppToolTypes> {
  /** The name and version of the host. */
  readonly host: {
    /** The name. */
    readonly name: string
    /** The version. */
    readonly version: string
  } & Json
  /** The features of the host. */
  readonly capabilities: HostCapabilities
  /** The host's surroundings, with all changes so far. */
  readonly context: HostContext
  /** The arguments of the tool call that opened the view. */
  readonly input: Promise<AppEvents<Tools>['input']>
  /** The result of that call. Fails if the call is cancelled. */
  readonly result: Promise<AppEvents<Tools>['result']>
  /** Calls the listener for each event, and for the last one if there was one. Returns a function that removes it. */
  on<Name extends keyof AppEvents<Tools>>(event: Name, listener: (value: AppEvents<Tools>[Name]) => void): () => void
  /** Calls a tool of the view's server. Without `input`, the arguments are `{}`. A tool that fails returns `isError`. */
  call<Name extends keyof Tools & string>(
    tool: Name,
    ...parameters: CallParameters<Tools[Name]['input']>
  ): Promise<AppResult<Tools[Name]['output']>>
  /** Reads a resource of the view's server. Returns its contents, as in MCP. */
  read(uri: string, options?: AppRequestOptions): Promise<Json[]>
  /** Asks the host to open an http or https address. */
  openLink(url: string): Promise<void>
  /** Writes into the conversation in the user's name: a text, or content blocks. */
  message(content: string | Json[]): Promise<void>
  /** Replaces what the model knows of the view from now on: a text, or `content` and `structuredContent`. Calls in one task are sent as one. */
  updateContext(context: string | { readonly content?: Json[]; readonly structuredContent?: Json }): Promise<void>
  /** Offers a file to the user. */
  download(name: string, data: string | Blob, mimeType?: string): Promise<void>
  /** Asks for another display mode, one that the host lists. Returns the mode that the host chose. */
  requestDisplayMode(mode: DisplayMode): Promise<DisplayMode>
  /** Reports the size of the page, in px. Needed only with `autoSize: false`. */
  reportSize(size: { readonly width?: number; readonly height?: number }): void
  /** Asks the model of the host: the parameters and the result of `sampling/createMessage`. Needs the option `sampling`. */
  sample(params: Json, options?: AppRequestOptions): Promise<Json>
  /** Writes to the log of the host, if it has one. */
  log(level: 'debug' | 'info' | 'warning' | 'error', data: unknown): void
  /** Asks the host to remove the view. */
  requestTeardown(): void
  /** Runs a function before the view is removed. The host waits for it for up to 1 s. Returns a function that removes it. */
  onTeardown(listener: () => unknown): () => void
  /** Ends the connection, such as in tests. */
  close(): void
}

/** The options of `connectApp`. */
export interface AppOptions {
  /** The name of the view. */
  readonly name: string
  /** The version of the view. */
  readonly version: string
  /** The modes that the view is made for. Default: `['inline']`. */
  readonly displayModes?: readonly DisplayMode[]
  /** True to report the size of the page. Default: `true`. */
  readonly autoSize?: boolean
  /** True to apply the host's theme to the page. Default: `true`. */
  readonly autoStyle?: boolean
  /** Tools that the view offers to the host, by name. A draft of the extension: few hosts call them. */
  readonly tools?: { readonly [name: string]: ViewTool }
  /** True if the view may ask the model of the host. Default: `false`. */
  readonly sampling?: boolean
  /** How long to wait for the host's answer. Default: 10,000 (milliseconds). */
  readonly handshakeTimeoutMs?: number
}
