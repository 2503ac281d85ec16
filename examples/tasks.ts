import { createServer } from 'portcall'
import { tasks } from 'portcall/tasks'

const PAGES = ['cover', 'contents', 'index']
export const printed: string[] = []
export const server = createServer({ name: 'printer', version: '1.0.0' }, { extensions: [tasks()] })

server.tool('print', { description: 'Print the book', task: 'optional' }, async (_, call) => {
  for (const [at, page] of PAGES.entries()) {
    await call.step(page, () => printed.push(page))
    call.progress(at + 1, PAGES.length, `Printed the ${page}`)
  }
  return `Printed ${PAGES.length} pages`
})
