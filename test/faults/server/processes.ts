/** How the tools of one process learn what the others have counted, if the server has workers. */
import { connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { workerNumber } from 'portcall/node'

/** The report of one process, or all of them together. */
export type Report = { readonly [name: string]: number | readonly string[] }

type Probes = { readonly [name: string]: () => Report | Promise<Report> }

/** The number of workers of this server: 0 if it has none, as over stdio. */
let workers = 0
const SUPERVISOR = 0
let own: Probes = {}

/** Makes the probes of this process available to the others. */
export function answerProbes(probes: Probes, workerCount: number): void {
  own = probes
  workers = workerCount
  if (workers === 0) return
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', async (probe) => socket.end(JSON.stringify(await own[String(probe)]?.())))
  })
  server.listen(addressOf(workerNumber ?? SUPERVISOR)).unref()
}

/** Returns the sum of a probe over all processes. */
export async function askAllProcesses(probe: string): Promise<Report> {
  if (workers === 0) return (await own[probe]?.()) ?? {}
  const numbers = Array.from({ length: workers + 1 }, (_, number) => number)
  return (await Promise.all(numbers.map((number) => ask(number, probe)))).reduce(add)
}

async function ask(number: number, probe: string): Promise<Report> {
  const socket = connect(addressOf(number))
  socket.write(probe)
  return JSON.parse(await text(socket)) as Report
}

/** Returns an abstract socket, which disappears with its process. */
function addressOf(number: number): string {
  return `\0portcall-faults-${workerNumber === undefined ? process.pid : process.ppid}-${number}`
}

function add(one: Report, other: Report): Report {
  return Object.fromEntries(
    Object.entries(one).map(([name, value]) => {
      const more = other[name]
      return [name, typeof value === 'number' ? value + Number(more) : [...value, ...(more as readonly string[])]]
    }),
  )
}
