/** The types of the host's side that views see. Source: ext-apps 2026-01-26. */

/** A JSON object. */
export interface Json {
  [name: string]: unknown
}

/** How a host shows a view. */
export type DisplayMode = 'inline' | 'fullscreen' | 'pip'

/** The host's surroundings. Each member may be absent. */
export interface HostContext extends Json {
  /** The tool call that opened the view. */
  toolInfo?: {
    /** The id of the call, as the host names it. */
    id?: string | number
    /** The tool, as `tools/list` has it. */
    tool: {
      /** The name of the tool. */
      name: string
    } & Json
  }
  /** The color theme. */
  theme?: 'light' | 'dark'
  /** CSS variables and fonts. */
  styles?: {
    /** CSS variables by name, such as `--color-text-primary`. */
    variables?: { [name: string]: string | undefined }
    /** Style sheets of the host. */
    css?: {
      /** A style sheet with the fonts of the host. */
      fonts?: string
    }
  }
  /** How the view is shown. */
  displayMode?: DisplayMode
  /** The modes that the host can show. */
  availableDisplayModes?: DisplayMode[]
  /** The size of the frame, px: fixed, or at most. */
  containerDimensions?: {
    /** The height, if it is fixed. */
    height?: number
    /** The largest height. */
    maxHeight?: number
    /** The width, if it is fixed. */
    width?: number
    /** The largest width. */
    maxWidth?: number
  }
  /** The language of the user, BCP 47. */
  locale?: string
  /** The time zone of the user, IANA. */
  timeZone?: string
  /** Px that the host covers at each edge. */
  safeAreaInsets?: {
    /** At the top. */
    top: number
    /** At the right. */
    right: number
    /** At the bottom. */
    bottom: number
    /** At the left. */
    left: number
  }
}

/** The features that a host offers. */
export interface HostCapabilities extends Json {
  /** Opens addresses. */
  openLinks?: Json
  /** Offers files for download. */
  downloadFile?: Json
  /** Passes calls of tools to the server of the view. */
  serverTools?: Json
  /** Passes reads of resources to the server of the view. */
  serverResources?: Json
  /** Takes messages for a log. */
  logging?: Json
  /** Tells the model of the view, by the kinds of content. */
  updateModelContext?: Json
  /** Writes into the conversation, by the kinds of content. */
  message?: Json
  /** Asks the model. */
  sampling?: Json
}

/** The result of a tool. */
export interface AppResult<Output = unknown> {
  /** Content blocks, as in MCP. */
  content: ({
    /** The kind of the block, such as `text`. */
    type: string
  } & Json)[]
  /** Data in the form of the tool's output schema. */
  structuredContent: Output
  /** True if the tool failed. */
  isError?: boolean
  /** Metadata, also what only views see. */
  _meta?: Json
}

/** A tool that the view offers to the host. */
export interface ViewTool {
  /** For the model. */
  description?: string
  /** JSON Schema of the arguments. Default: any object. */
  inputSchema?: Json
  /** Runs a call. Returns content, or a text. */
  handler: (input: Json) => unknown
}
