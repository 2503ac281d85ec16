/** The outcome of a tool call. */
export interface CallOutcome {
  readonly status: number
  /** The text of the result, or the message of the error. */
  readonly text: string
  readonly challenge: string | null
}

const VERSION = '2026-07-28'

/** Creates a function that calls tools of a server that may require a token. */
export function createRequester(url: string): (name: string, token?: string) => Promise<CallOutcome> {
  return async (name, token) => {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': VERSION, 'io.modelcontextprotocol/clientCapabilities': {} }
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, _meta } }),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': VERSION,
        'mcp-method': 'tools/call',
        'mcp-name': name,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    })
    const { result, error } = await response.json()
    const text = result ? result.content[0].text : error.message
    return { status: response.status, text, challenge: response.headers.get('www-authenticate') }
  }
}
