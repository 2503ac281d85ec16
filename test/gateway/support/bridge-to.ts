import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ServerFactory } from '../../support/open-driver.ts'
import { createRecorder } from '../../support/recorder.ts'
import { readTee } from '../../support/tee.ts'
import { compileUpstream, startBridge, type UpstreamSetup } from './upstreams.ts'

/** A bridge as the server under test, and the violations of the official schema between it and the server behind it. */
export interface RecordedBridge {
  readonly factory: ServerFactory
  /** Returns the violations since the last call. */
  violations(): string[]
  /** Removes the recording. */
  remove(): void
}

/** Prepares a bridge, in this process or in a program of its own. */
export async function bridgeTo(upstream: UpstreamSetup): Promise<RecordedBridge> {
  const path = join(tmpdir(), `portcall-gateway-${randomUUID()}`)
  const recorder = createRecorder({ pull: readTee(path), isBridge: true })
  return {
    factory: {
      create: () => startBridge(upstream, path, { singleUser: true }),
      program: fileURLToPath(new URL('./stdio.ts', import.meta.url)),
      args: [`${upstream.transport}@${upstream.revision}`, path],
      ...(upstream.transport === 'stdio' && { env: await compileUpstream() }),
    },
    violations: () => recorder.violations.splice(0).map((violation) => `to the server: ${violation}`),
    remove: () => rmSync(path, { force: true }),
  }
}
