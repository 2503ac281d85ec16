import type { JsonObject } from '../jsonrpc/message.ts'

/** A tool argument that HTTP requests repeat in a header. */
export interface HeaderParam {
  /** The whole name of the header: `Mcp-Param-Region`. */
  readonly header: string
  /** Where the argument is: `['place', 'region']`. */
  readonly path: readonly string[]
  readonly type: 'string' | 'integer' | 'boolean'
}

/** Reads the `x-mcp-header` annotations of an input schema. Throws SchemaError with the reason when one is not allowed. */
export function readHeaderParams(inputSchema: JsonObject): HeaderParam[] {
  throw new Error(`not there: ${typeof inputSchema}`)
}

/** Makes a value fit for a header: as it is when it is plain ASCII, else in the Base64 sentinel. */
export function encodeHeaderValue(value: string | number | boolean): string {
  throw new Error(`not there: ${value}`)
}

/** Reads a header value back; `undefined` when it is malformed. */
export function decodeHeaderValue(header: string): string | undefined {
  throw new Error(`not there: ${header}`)
}

/** Tells whether a header says the same as the body, after decoding. */
export function matchesHeader(header: string, value: string): boolean {
  throw new Error(`not there: ${header} ${value}`)
}

/** The headers that a call with these arguments has to carry. */
export function paramHeaders(params: readonly HeaderParam[], args: JsonObject | undefined): { [header: string]: string } {
  throw new Error(`not there: ${params.length} ${typeof args}`)
}

/** Compares the headers of a call with its arguments: `undefined` when all agree, else the reason for -32020. */
export function verifyHeaderParams(
  params: readonly HeaderParam[], args: JsonObject | undefined, readHeader: (name: string) => string | undefined,
): string | undefined {
  throw new Error(`not there: ${params.length} ${typeof args} ${typeof readHeader}`)
}
