/** `node tools/site/social.mjs`: draws public/social.png, the picture that other sites show for a link to the documentation. */
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { installChromium } from '../lib/chromium.mjs'
import { ROOT, readText } from '../lib/paths.mjs'

const PUBLIC = join(ROOT, 'tools', 'site', 'public')
const SIZE = { width: 1200, height: 630 }

const STYLE = `
  body { margin: 0; background: #0b1514; color: #f1f5f4; font-family: Inter, 'DejaVu Sans', sans-serif }
  main { display: flex; flex-direction: column; justify-content: space-between; box-sizing: border-box; height: 630px; padding: 90px 96px }
  header { display: flex; align-items: center; gap: 28px; font-size: 52px; font-weight: 700 }
  svg { width: 88px }
  h1 { margin: 0; line-height: 1.1; font-size: 76px; letter-spacing: -2px }
  p { margin: 0; color: #9fb8b4; font-size: 31px }`

const PICTURE = `<style>${STYLE}</style>
  <main>
    <header>${readText(join(PUBLIC, 'logo.svg'))}Portcall</header>
    <h1>MCP servers and clients<br>in TypeScript</h1>
    <p>One handler for every protocol version, transport and runtime.</p>
  </main>`

const browser = await chromium.launch({ executablePath: installChromium(), args: ['--no-sandbox'] })
const page = await browser.newPage({ viewport: SIZE })
await page.setContent(PICTURE)
await page.screenshot({ path: join(PUBLIC, 'social.png') })
await browser.close()
