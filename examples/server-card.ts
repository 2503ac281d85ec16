/** A server that clients find by its domain. */
import { createServer } from 'portcall'
import { serve } from 'portcall/node'

const server = createServer({
  name: 'com.example/notes',
  version: '1.0.0',
  title: 'Notes',
  description: 'Reads and writes the notes of a team.',
  websiteUrl: 'https://example.com/notes',
  icons: [{ src: 'https://example.com/notes.png', mimeType: 'image/png', sizes: ['48x48'] }],
})

server.tool('latest', { description: 'Returns the latest note' }, () => 'Buy milk')

const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000), card: true })
console.log(url)
