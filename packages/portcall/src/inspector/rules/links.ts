/** Where the rules are written. */
const SPECIFICATION = 'https://modelcontextprotocol.io/specification/'

/** Returns the address of a section of the specification of a revision. */
export function specificationLink(revision: string, section: string): string {
  return `${SPECIFICATION}${revision}/${section}`
}

/** The sections of JSON-RPC 2.0. */
export const JSON_RPC = {
  request: 'https://www.jsonrpc.org/specification#request_object',
  response: 'https://www.jsonrpc.org/specification#response_object',
  error: 'https://www.jsonrpc.org/specification#error_object',
} as const
