import { createServer } from 'portcall'
import { diagnose } from 'portcall/diagnostics'
import { serve } from 'portcall/node'

const server = createServer({ name: 'notes', version: '1.0.0' })
server.tool('notes/search', { description: 'Searches the notes' }, () => 'Nothing found')
const { url, close } = await serve(server, { port: 0 })

// #region diagnose
for await (const event of diagnose(url)) {
  if (event.type !== 'step-finished') continue
  const { title, verdict, problems } = event.result
  console.log(`${title}: ${verdict}`)
  for (const { message, advice } of problems) console.log(`  ${message} → ${advice}`)
}
// #endregion

await close()
