/** A view and what its host tells it. */
export interface Shown {
  readonly html: string
  readonly context?: Record<string, unknown>
  readonly capabilities?: object
  readonly input?: Record<string, unknown>
  readonly result?: { readonly content: never[]; readonly structuredContent?: Record<string, unknown> }
  readonly cancelled?: string
  readonly width?: number
}
