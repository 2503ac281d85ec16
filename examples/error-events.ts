import { createServer } from 'portcall'

/** The part of a logger that is used; Pino and Winston fit. */
export interface Logger {
  error(details: object, message: string): void
  warn(message: string): void
}

export function createLoggedServer(logger: Logger) {
  const server = createServer(
    { name: 'logged', version: '1.0.0' },
    {
      onEvent(event) {
        if (event.type === 'warning') return logger.warn(event.message)
        const { error, reference, method, name } = event
        logger.error({ err: error, reference }, `${method} ${name ?? ''} failed`)
      },
    },
  )
  server.tool('fail', { description: 'Fail' }, () => {
    throw new Error('database host db-7 is unreachable')
  })
  return server
}
