/** The sizes of an HTTP endpoint at one moment. */
export interface EndpointSizes {
  /** Sessions of clients of the older revisions. With shared stores, those that this process has loaded. */
  readonly sessions: number
  /** Requests that are being answered. */
  readonly requests: number
  /** Open event streams. */
  readonly streams: number
  /** The data that readers of streams have not taken yet, in bytes. */
  readonly bufferedBytes: number
}

/** Shows the sizes of endpoints. */
export interface EndpointObserver {
  /** Shows the sizes of an endpoint. Returns a function that stops it. */
  observe(sizes: () => EndpointSizes): () => void
}

/** A page of metrics for Prometheus. `portcall/metrics` creates one; `serve` and the admin port of a gateway show it. */
export interface MetricsPage extends EndpointObserver {
  /** The path of the page. */
  readonly path: string
  /** The media type of the page. */
  readonly contentType: string
  /** Reports whether a request with this `Authorization` header may read the page. */
  isAllowed(authorization: string | undefined): boolean
  /** Returns the page. */
  render(): Promise<string>
  /** Returns what this process has measured, for `renderAll` of another process. It can be sent as JSON. */
  snapshot?(): Promise<unknown>
  /** Returns the page of several processes, such as the workers of one server. */
  renderAll?(snapshots: readonly unknown[]): Promise<string>
}
