import { request } from 'node:http'
import { CliError, usageError } from '../cli-error.ts'
import { readPortFlag } from '../command-line/flag-values.ts'
import { type RunFile, readRunFiles } from './run-file.ts'

/** Returns the running gateways: all, or the one with this admin port. @throws CliError if there is none. */
export function findGateways(admin: string | undefined): readonly RunFile[] {
  const runs = readRunFiles()
  const port = admin === undefined ? undefined : readPortFlag('admin', admin)
  const found = port === undefined ? runs : runs.filter((run) => run.port === port)
  if (found.length === 0)
    throw new CliError('unreachable', port === undefined ? 'no gateway is running' : `no gateway has the admin port ${port}`, {
      hint: 'start one with portcall gateway',
    })
  return found
}

/** Returns the only gateway. @throws CliError if there are several. */
export function findGateway(admin: string | undefined): RunFile {
  const [run, ...others] = findGateways(admin)
  if (run && others.length === 0) return run
  const ports = [run, ...others].flatMap((one) => (one ? [`${one.port} (${one.files.join(', ')})`] : []))
  throw usageError(`${ports.length} gateways are running`, `choose one with --admin PORT: ${ports.join(', ')}`)
}

const TIMEOUT_MS = 30_000

/** Sends a request to the admin endpoint of a gateway. @throws CliError */
export async function sendToGateway({ port, token }: RunFile, method: string, path: string): Promise<unknown> {
  const { status, body } = await send({ port, token, method, path }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CliError('unreachable', `the gateway does not respond: ${reason}`)
  })
  const value = JSON.parse(body) as { error?: unknown }
  if (status === 200) return value
  const [message = '', ...details] = String(value.error ?? `HTTP status ${status}`).split('\n')
  throw new CliError('rejected', message, { details })
}

interface AdminRequest {
  readonly port: number
  readonly token: string
  readonly method: string
  readonly path: string
}

function send({ port, token, method, path }: AdminRequest): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    const sent = request({ host: '127.0.0.1', port, path, method, headers, timeout: TIMEOUT_MS }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode, body })).on('error', reject)
    })
    sent.on('timeout', () => sent.destroy(new Error('timeout')))
    sent.on('error', reject).end()
  })
}
