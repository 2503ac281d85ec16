import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The settings that a host needs to run. */
export interface HostSettings {
  /** The home folder, in which the program finds its configuration. */
  readonly home: string
  /** The MCP server, which is named `probe`. */
  readonly server: string
  /** The stand-in for the API of the model. */
  readonly api: string
}

/** How to run a host without a user, an account and a network. */
export interface HostProgram {
  /** The name in the table of host limits. */
  readonly host: string
  /** The package of the program. */
  readonly npm: string
  /** The name of the command. */
  readonly command: string
  /** The files of the configuration, relative to the home folder. */
  files(settings: HostSettings): { readonly [path: string]: string }
  readonly args: readonly string[]
  env(settings: HostSettings): { readonly [name: string]: string }
}

/** How a host ended. */
export interface HostExit {
  readonly code: number | null
  readonly output: string
  /** The origins outside this computer that the program asked for, which it did not reach. */
  readonly refused: readonly string[]
}

export const PROMPT = 'Call the tools of the server probe.'
const PROGRAMS = fileURLToPath(new URL('./programs/node_modules', import.meta.url))
const RUN_TIMEOUT_MS = 120_000

/** Returns the version of a host that is installed. */
export function versionOf({ npm }: HostProgram): string {
  return (JSON.parse(readFileSync(join(PROGRAMS, npm, 'package.json'), 'utf8')) as { version: string }).version
}

/** Runs a host until it exits, in a home folder of its own. Ends it and its children after two minutes. */
export async function runHost(program: HostProgram, addresses: Omit<HostSettings, 'home'>): Promise<HostExit> {
  const home = mkdtempSync(join(tmpdir(), 'portcall-host-'))
  const proxy = await startRefusingProxy()
  try {
    const settings = { home, ...addresses }
    for (const [path, content] of Object.entries(program.files(settings))) {
      mkdirSync(dirname(join(home, path)), { recursive: true })
      writeFileSync(join(home, path), content)
    }
    const project = join(home, 'project')
    mkdirSync(project, { recursive: true })
    const exit = await runToEnd(join(PROGRAMS, '.bin', program.command), program.args, project, {
      PATH: process.env.PATH ?? '',
      HOME: home,
      TERM: 'dumb',
      NO_COLOR: '1',
      CI: '1',
      HTTP_PROXY: proxy.url,
      HTTPS_PROXY: proxy.url,
      NO_PROXY: '127.0.0.1,localhost',
      ...program.env(settings),
    })
    return { ...exit, refused: proxy.refused() }
  } finally {
    await proxy.close()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

function runToEnd(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<Omit<HostExit, 'refused'>> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    const chunks: Buffer[] = []
    const endGroup = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // The whole group has ended.
      }
    }
    const timer = setTimeout(endGroup, RUN_TIMEOUT_MS)
    process.once('exit', endGroup)
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.once('error', reject)
    child.once('exit', endGroup)
    child.once('close', (code) => {
      clearTimeout(timer)
      process.off('exit', endGroup)
      resolve({ code, output: Buffer.concat(chunks).toString() })
    })
  })
}

/** Starts a proxy that connects to nothing, so that programs only reach this computer. */
async function startRefusingProxy() {
  const refused = new Set<string>()
  const server = createServer((request, response) => {
    refused.add(request.url ?? '')
    response.writeHead(403).end()
  })
  server.on('connect', ({ url = '' }, socket) => {
    refused.add(url)
    socket.on('error', () => socket.destroy())
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused: () => [...refused],
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
