import { createWriteStream, type WriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import type { Implementation, ServerCapabilities } from 'portcall'
import { isObject } from 'portcall/jsonrpc'
import { randomId } from '../../../util/src/random.ts'
import type { CoreParts } from '../core-parts.ts'
import type { InspectorInventory, InventoryKind } from '../protocol/servers.ts'
import type { InspectorRecording } from '../protocol/sharing.ts'
import { createRuleChecker } from '../rules/rules.ts'
import type { ManagedServer } from '../servers/managed-server.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import { createMessageRecorder } from '../wire/messages.ts'
import { createLineWriter } from './entry-lines.ts'

/** The recordings that are written, and those that were imported. */
export interface Recordings {
  readonly all: readonly InspectorRecording[]
  /** Starts to write a file. @throws if it exists or cannot be written. */
  start(path: string | undefined, serverIds: readonly string[]): Promise<InspectorRecording>
  /** Stops writing. */
  stop(id: string): Promise<InspectorRecording>
  /** Opens a recording as a server of its own. @throws SyntaxError with the number of the first invalid line. */
  import(name: string, text: string): Promise<InspectorRecording>
  /** @throws InspectorCommandError if there is none. */
  get(id: string): InspectorRecording
  /** The text of an imported recording. @throws InspectorCommandError if there is none. */
  textOf(id: string): string
  close(): Promise<void>
}

const MAX_IMPORT = 64 * 1024 * 1024

/** Creates the recordings of a back end. */
export function createRecordings({ hub, timeline, servers, inventories }: CoreParts): Recordings {
  const recordings = new Map<string, InspectorRecording>()
  const texts = new Map<string, string>()
  const writers = new Map<string, { readonly stream: WriteStream; readonly stop: () => void }>()
  const put = (recording: InspectorRecording): InspectorRecording => {
    recordings.set(recording.id, recording)
    hub.publish({ type: 'recording', recording })
    return recording
  }
  const get = (id: string): InspectorRecording => {
    const recording = recordings.get(id)
    if (!recording) throw new InspectorCommandError('NOT_FOUND', 'There is no such recording')
    return recording
  }

  const stop = async (id: string): Promise<InspectorRecording> => {
    const writer = writers.get(id)
    if (!writer) throw new InspectorCommandError('NOT_FOUND', 'The recording is not being written')
    writers.delete(id)
    writer.stop()
    await finished(writer.stream.end())
    return put({ ...get(id), status: 'stopped' })
  }

  return {
    get,
    get all() {
      return [...recordings.values()]
    },
    async start(path = `portcall-${new Date().toISOString().replaceAll(':', '-').slice(0, 19)}.ndjson`, serverIds) {
      const file = resolve(path)
      const stream = createWriteStream(file, { flags: 'wx', mode: 0o600 })
      await new Promise<void>((done, fail) => stream.once('open', () => done()).once('error', fail)).catch((error: unknown) => {
        throw new InspectorCommandError('FAILED', `${file} cannot be written: ${(error as Error).message}`)
      })
      stream.on('error', () => {})
      const id = randomId(9)
      const lines = createLineWriter(timeline)
      let last = 0
      const unsubscribe = timeline.onEntry((stored) => {
        const { entry } = stored
        const isWanted = entry.id > last && (serverIds.length === 0 || serverIds.includes(entry.serverId))
        const line = isWanted ? lines.lineOf(stored) : undefined
        if (line === undefined) return
        last = entry.id
        stream.write(`${line}\n`)
        recordings.set(id, { ...get(id), messages: get(id).messages + 1 })
      })
      writers.set(id, { stream, stop: unsubscribe })
      return put({ id, name: path, status: 'writing', path: file, serverIds, messages: 0 })
    },
    stop,
    async import(name, text) {
      if (text.length > MAX_IMPORT) throw new InspectorCommandError('INVALID_PARAMS', 'The recording is larger than 64 MiB')
      const { readRecording } = await import('portcall/testing')
      const entries = readRecording(text)
      const server = await servers.add({ target: { kind: 'embedded' }, name, status: 'recording' })
      const recorder = createMessageRecorder({
        serverId: server.id,
        timeline,
        rules: createRuleChecker(() => undefined),
        compare: () => [],
        timeOffset: Date.now(),
      })
      for (const { message, direction, time } of entries)
        if (message)
          recorder.record({
            direction: direction === 'sent' ? 'out' : 'in',
            text: JSON.stringify(message),
            stream: 'memory',
            time,
          })
      await showSnapshot(text, server, inventories)
      const id = randomId(9)
      texts.set(id, text)
      return put({ id, name, status: 'imported', serverIds: [], serverId: server.id, messages: entries.length })
    },
    textOf(id) {
      get(id)
      const text = texts.get(id)
      if (text === undefined) throw new InspectorCommandError('NOT_FOUND', 'The recording was not imported')
      return text
    },
    async close() {
      await Promise.all([...writers.keys()].map((id) => stop(id).catch(() => {})))
    },
  }
}

const KINDS: readonly InventoryKind[] = ['tools', 'resources', 'templates', 'prompts', 'skills', 'tasks', 'events']

const NOT_RECORDED = { code: 'NOT_RECORDED', message: 'The recording does not contain this list' }

/** Shows what a recording says about its server, in place of what a connection would say. */
async function showSnapshot(text: string, server: ManagedServer, inventories: CoreParts['inventories']): Promise<void> {
  const { snapshotOfRecording } = await import('portcall/diagnostics')
  const snapshot = snapshotOfRecording(text)
  const { info, capabilities, instructions } = snapshot
  server.show({
    ...(isObject(info) && { info: snapshot.info as Implementation }),
    ...(isObject(capabilities) && { capabilities: capabilities as ServerCapabilities }),
    ...(instructions !== undefined && { instructions }),
  })
  const lists: { readonly [kind in InventoryKind]?: readonly object[] } = snapshot
  for (const kind of KINDS) {
    const items = lists[kind]
    const state = items ? { items, status: 'ready' } : { items: [], status: 'failed', failure: NOT_RECORDED }
    inventories.set({ serverId: server.id, kind, ...state } as InspectorInventory)
  }
}
