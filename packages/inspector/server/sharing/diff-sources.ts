import type { ServerSnapshot } from 'portcall/diagnostics'
import { errorMessage } from '../../../util/src/errors.ts'
import type { BackendParts } from '../backend-parts.ts'
import type { DiffReport, DiffSource } from '../protocol/sharing.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import { toDiffRow } from './replays.ts'

/** A side of a comparison: what a server offers, and the recording that it comes from. */
interface DiffSide {
  readonly name: string
  readonly snapshot: ServerSnapshot
  readonly recording?: string
}

/** Compares two sides: what they offer and, for two recordings, how they responded. */
export async function compareSources(left: DiffSource, right: DiffSource, parts: BackendParts): Promise<DiffReport> {
  const { compareRecordings, compareSnapshots } = await import('portcall/diagnostics')
  const [before, after] = await Promise.all([readSide(left, parts), readSide(right, parts)])
  const offered = compareSnapshots(before.snapshot, after.snapshot)
  const responded =
    before.recording !== undefined && after.recording !== undefined ? compareRecordings(before.recording, after.recording) : []
  return { left: before.name, right: after.name, rows: [...offered, ...responded].map(toDiffRow) }
}

async function readSide(source: DiffSource, { servers, sharing }: BackendParts): Promise<DiffSide> {
  const { createSnapshot, readInventory } = await import('portcall/diagnostics')
  switch (source.type) {
    case 'server': {
      const server = servers.get(source.serverId)
      const { client } = server.connection
      const { inventory, failures } = await readInventory(client)
      return {
        name: `${server.state.name} (${client.protocolVersion})`,
        snapshot: createSnapshot(inventory, client.protocolVersion, failures),
      }
    }
    case 'recording': {
      const { name } = sharing.recorder.get(source.recordingId)
      return readText(name, sharing.recorder.textOf(source.recordingId))
    }
    case 'text':
      return readText(source.name, source.text)
    default:
      throw new InspectorCommandError('INVALID_PARAMS', 'A side is a server, a recording or a text')
  }
}

async function readText(name: string, text: string): Promise<DiffSide> {
  const { readSnapshot, snapshotOfRecording } = await import('portcall/diagnostics')
  try {
    const snapshot = readSnapshot(text)
    return snapshot ? { name, snapshot } : { name, snapshot: snapshotOfRecording(text), recording: text }
  } catch (error) {
    const reason = errorMessage(error)
    throw new InspectorCommandError('INVALID_PARAMS', `${name} is neither a snapshot nor a recording: ${reason}`)
  }
}
