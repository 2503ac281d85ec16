/** `npm run hosts`: runs each host, and compares what it does with `recording.json`; with `RECORD=1`, writes the recording. */
import { expect, test } from 'vitest'
import { readRecording, writeRecording } from './generate.ts'
import { measureHost } from './measure/measure-host.ts'
import { HOST_PROGRAMS } from './programs.ts'

test.each(HOST_PROGRAMS)('$host does what is recorded', async (program) => {
  const measured = await measureHost(program)
  const recording = readRecording()
  if (process.env.RECORD) {
    const today = new Date().toISOString().slice(0, 10)
    const all = { ...recording, [program.host]: { ...measured, measured: today } }
    writeRecording(Object.fromEntries(Object.entries(all).sort(([a], [b]) => a.localeCompare(b))))
  } else {
    const { measured: _day, ...expected } = recording[program.host] ?? {}
    expect(measured).toEqual(expected)
  }
})
