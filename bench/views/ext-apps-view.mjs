import { App, PostMessageTransport } from '@modelcontextprotocol/ext-apps'
import { draw, painted } from './draw.mjs'

const app = new App({ name: 'bench', version: '1.0.0' })
app.ontoolresult = ({ structuredContent }) => {
  draw(structuredContent)
  painted()
}
await app.connect(new PostMessageTransport(window.parent, window.parent))
