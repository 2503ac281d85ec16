import { createServer } from 'portcall'

export const server = createServer({ name: 'style', version: '1.0.0' })

const GUIDE = '# Style guide\n\nShort sentences. No jargon.\n'
server.resource('docs://style-guide.md', { title: 'Style guide', mimeType: 'text/markdown' }, () => GUIDE)

server.prompt('rewrite', { description: 'Rewrite a text in the style of the house' }, () => [
  {
    role: 'user',
    content: { type: 'resource', resource: { uri: 'docs://style-guide.md', mimeType: 'text/markdown', text: GUIDE } },
  },
  { role: 'assistant', content: { type: 'text', text: 'I have read the style guide. Which text shall I rewrite?' } },
  { role: 'user', content: { type: 'text', text: 'The one in my next message.' } },
])
