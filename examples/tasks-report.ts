import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from 'portcall'
import { tasks } from 'portcall/tasks'

export const server = createServer({ name: 'reports', version: '1.0.0' }, { extensions: [tasks()] })

const QUARTERS = ['Q1', 'Q2', 'Q3', 'Q4']

server.tool('report', { description: 'Create the yearly report', task: 'optional' }, async (_, call) => {
  const lines = []
  for (const [index, quarter] of QUARTERS.entries()) {
    const line = await call.step(quarter, () => sleep(200, `Figures of ${quarter}`))
    lines.push(line)
    await call.progress(index + 1, QUARTERS.length, `Analyzed ${quarter}`)
  }
  return lines.join('\n')
})
