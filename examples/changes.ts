import { createServer } from 'portcall'

export const server = createServer({ name: 'school', version: '1.0.0' }, { capabilities: ['prompts'] })

let visits = 0
server.resource('count://visits', { title: 'Visits', mimeType: 'text/plain' }, () => `${visits}`)

server.tool('visit', { description: 'Count a visit' }, () => {
  visits++
  server.resourceUpdated('count://visits')
  return `Visit ${visits}`
})

server.tool('learn', { description: 'Add a prompt for each lesson' }, () => {
  for (let n = 0; n < 100; n++)
    if (!server.prompts.has(`lesson-${n}`)) server.prompt(`lesson-${n}`, {}, () => `Explain lesson ${n}.`)
  return 'Added the lessons'
})
