/** The fixture server behind each transport, in each revision that the transport carries. */
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { ConnectionSettings, InspectorTarget } from '../../../packages/inspector/server/protocol/servers.ts'
import { serveFixture } from './fixture-server.ts'
import { startInspector, type TestInspector } from './inspector.ts'

const PROGRAM = fileURLToPath(new URL('../fixtures/server.mjs', import.meta.url))

const TRANSPORTS: { readonly [transport: string]: () => Promise<InspectorTarget> } = {
  http: async () => ({ kind: 'url', url: await serveFixture() }),
  stdio: async () => ({ kind: 'program', command: process.execPath, args: [PROGRAM] }),
}

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']

/** A transport in a revision. */
export interface Case {
  readonly transport: string
  readonly revision: string
}

/** HTTP and stdio in all revisions. */
export const CASES: readonly Case[] = Object.keys(TRANSPORTS).flatMap((transport) =>
  REVISIONS.map((revision) => ({ transport, revision })),
)

/** Starts an inspector that is connected to a fixture server. */
export async function openCase(
  { transport, revision }: Case,
  settings: ConnectionSettings = {},
): Promise<{ inspector: TestInspector; id: string }> {
  const inspector = await startInspector()
  const target = await TRANSPORTS[transport]?.()
  const server = await inspector.connect(target as InspectorTarget, { revision, ...settings })
  expect([server.status, server.negotiation?.revision]).toEqual(['connected', revision])
  return { inspector, id: server.id }
}
