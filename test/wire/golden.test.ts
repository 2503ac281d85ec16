import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createDriver } from '../support/driver.ts'
import { openWire, type ServerFactory } from '../support/open-driver.ts'
import { SETUPS } from '../support/setups.ts'
import { converse } from './conversation.ts'
import { createGoldenServer } from './server.ts'
import { createTranscript } from './transcript.ts'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const SERVED: ServerFactory = { create: createGoldenServer, program: here('./stdio.ts') }

// UPDATE_GOLDEN=1 rewrites the transcripts; review the changes before committing them.
describe('golden transcripts', () => {
  test.each(SETUPS.map((setup) => [setup.revision, setup.transport, setup] as const))(
    '%s · %s',
    async (_revision, _transport, setup) => {
      const transcript = createTranscript()
      const peer = await createDriver(
        transcript.record((receive) => openWire(SERVED, setup.transport, receive)),
        setup,
      )
      await converse(peer)
      await peer.close()
      expect(peer.violations).toEqual([])

      const file = here(`./golden/${setup.revision}.${setup.transport}.ndjson`)
      if (process.env.UPDATE_GOLDEN) {
        mkdirSync(here('./golden'), { recursive: true })
        writeFileSync(file, transcript.lines())
      }
      expect(existsSync(file)).toBe(true)
      expect(transcript.lines()).toBe(readFileSync(file, 'utf8'))
    },
  )
})
