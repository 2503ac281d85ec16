import { connectApp } from 'portcall/apps'
import { draw, painted } from './draw.mjs'

const app = await connectApp({ name: 'bench', version: '1.0.0' })
app.on('result', ({ structuredContent }) => {
  draw(structuredContent)
  painted()
})
