/** The parts of an HTTP response that a failed handler needs. */
interface FailedResponse {
  readonly headersSent: boolean
  writeHead(status: number, headers: Readonly<Record<string, string>>): { end(): unknown }
  destroy(): unknown
}

/**
 * Calls the handler of an HTTP request, so that no request ends the process: a handler that throws or rejects gets 500, or its connection is
 * closed if the response has begun. Every `createServer` of `node:http` goes through it.
 */
export function answerSafely(response: FailedResponse, handle: () => unknown): void {
  const fail = (): void => {
    if (response.headersSent) response.destroy()
    else response.writeHead(500, { 'cache-control': 'no-store' }).end()
  }
  try {
    const handled = handle()
    if (handled instanceof Promise) handled.catch(fail)
  } catch {
    fail()
  }
}
