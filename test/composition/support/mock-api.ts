/** A mock server that Prism makes from a description. It checks requests against the description and answers with its examples. */
import { createRequire } from 'node:module'
import type { TestedDescription } from './descriptions.ts'

const require = createRequire(import.meta.url)

export interface MockApi {
  readonly url: string
  close(): Promise<void>
}

const ignore = (): void => {}
const logger: Record<string, unknown> = {
  info: ignore,
  warn: ignore,
  error: ignore,
  debug: ignore,
  trace: ignore,
  fatal: ignore,
  success: ignore,
}
logger.child = () => logger

const CONFIG = {
  checkSecurity: false,
  validateRequest: true,
  validateResponse: false,
  mock: { dynamic: false },
  errors: true,
  isProxy: false,
  upstreamProxy: undefined,
}

/** Starts a mock server. */
export async function startMockApi(description: TestedDescription): Promise<MockApi> {
  const { createServer } = require('@stoplight/prism-http-server')
  const { getHttpOperationsFromSpec } = require('@stoplight/prism-http')
  const operations = await getHttpOperationsFromSpec(description)
  const server = createServer(operations, { components: { logger }, cors: false, config: CONFIG })
  const url: string = await server.listen(0, '127.0.0.1')
  return { url, close: () => server.close() }
}
