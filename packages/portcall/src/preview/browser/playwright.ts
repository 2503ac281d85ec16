/** The part of Playwright that is used here. Its package belongs to the project of the user. */

/** Starts browsers. */
export interface BrowserType {
  /** The path of the browser that Playwright has downloaded, or would download. */
  executablePath(): string
  /** Starts the browser. */
  launch(options: { executablePath?: string; args?: readonly string[] }): Promise<PlaywrightBrowser>
}

/** A browser that runs. */
export interface PlaywrightBrowser {
  /** Opens a separate profile. */
  newContext(options: object): Promise<PlaywrightContext>
  /** The version. */
  version(): string
  /** Ends the browser. */
  close(): Promise<void>
}

/** A separate profile of the browser. */
export interface PlaywrightContext {
  /** Opens a page. */
  newPage(): Promise<PlaywrightPage>
  /** Runs a script in each frame, before its own scripts. */
  addInitScript(script: { content: string }): Promise<unknown>
  /** The clock of the pages. */
  readonly clock: { setFixedTime(time: Date): Promise<void> }
  /** Closes its pages. */
  close(): Promise<void>
}

/** A message of the console. */
export interface PlaywrightConsoleMessage {
  /** The kind, such as `error`. */
  type(): string
  /** The text. */
  text(): string
}

/** A page. */
export interface PlaywrightPage {
  goto(url: string): Promise<unknown>
  exposeFunction(name: string, run: (...args: never[]) => unknown): Promise<unknown>
  evaluate<T>(run: string): Promise<T>
  waitForFunction(expression: string): Promise<unknown>
  on(event: 'console', listener: (message: PlaywrightConsoleMessage) => void): unknown
  on(event: 'pageerror', listener: (error: Error) => void): unknown
  on(event: 'crash', listener: () => void): unknown
  frames(): readonly PlaywrightFrame[]
  mainFrame(): PlaywrightFrame
  locator(selector: string): { screenshot(options: object): Promise<Uint8Array> }
  viewportSize(): { readonly width: number; readonly height: number } | null
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>
}

/** A frame. */
export interface PlaywrightFrame extends ViewFrame {
  url(): string
  childFrames(): readonly PlaywrightFrame[]
}

/** The frame of a view: that of Playwright, of which these members are typed here. Cast it to `Frame` for the others. */
export interface ViewFrame {
  /** Evaluates an expression in the view. */
  evaluate<T = unknown>(expression: string): Promise<T>
  /** Waits until an expression is true in the view. */
  waitForFunction(expression: string): Promise<unknown>
  /** Finds elements, by a CSS selector or `text=…`. */
  locator(selector: string): ViewLocator
}

/** Elements of a view. */
export interface ViewLocator {
  /** The first of them. */
  first(): ViewLocator
  /** Clicks the element. */
  click(): Promise<void>
  /** Writes into the element. */
  fill(text: string): Promise<void>
  /** Presses a key. */
  press(key: string): Promise<void>
  /** Waits until the element is visible. */
  waitFor(): Promise<void>
  /** The text of the element. */
  textContent(): Promise<string | null>
  /** How many elements there are. */
  count(): Promise<number>
}
