/** Notifying clients of changes. */
import { createServer } from 'portcall'

export const server = createServer({ name: 'changes', version: '1.0.0' }, { capabilities: ['prompts'] })
let visits = 0

// #region updated
server.resource('count://visits', { mimeType: 'text/plain' }, () => `${visits}`)

server.tool('visit', { description: 'Counts a visit' }, () => {
  visits++
  server.resourceUpdated('count://visits')
  return `Visit ${visits}`
})
// #endregion

// #region lists
server.tool('learn', { description: 'Adds a hundred prompts' }, () => {
  for (let n = 0; n < 100; n++)
    if (!server.prompts.has(`lesson-${n}`)) server.prompt(`lesson-${n}`, {}, () => `Explain lesson ${n}.`)
  return 'Learnt'
})
// #endregion
