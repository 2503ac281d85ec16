import type { Server } from 'portcall'
import * as z from 'zod'

/** Tools that change the lists and resources of the server. */
export function addChanges(server: Server): void {
  server.tool('register', { input: z.object({ count: z.number() }) }, ({ count }) => {
    for (let n = 1; n <= count; n++) server.tool(`extra-${n}`, {}, () => `extra ${n}`)
    return `${count} registered`
  })
  server.tool('unregister', {}, () => {
    const extra = server.tools.names().filter((name) => name.startsWith('extra-'))
    for (const name of extra) server.tools.remove(name)
    return `${extra.length} removed`
  })
  server.prompt('shy', {}, () => 'Here I am')
  server.tool('shows_prompt', { input: z.object({ show: z.boolean() }) }, ({ show }) => {
    if (show) server.prompts.enable('shy')
    else server.prompts.disable('shy')
    return 'done'
  })
  server.tool('touches', { input: z.object({ uri: z.string() }) }, ({ uri }) => {
    server.resourceUpdated(uri)
    return 'touched'
  })
}
