import { join } from 'node:path'
import { createMarkdownRenderer } from 'vitepress'
import { ROOT } from '../../../lib/paths.mjs'
import { codeFrom } from '../../../lib/regions.mjs'

/** The example that the top of the home page shows. */
const EXAMPLE = 'examples/book-table.ts'

/** Highlights the example when the site is built. */
export default {
  watch: [join(ROOT, EXAMPLE)],
  async load() {
    const { srcDir, markdown, site } = globalThis.VITEPRESS_CONFIG
    const md = await createMarkdownRenderer(srcDir, markdown, site.base)
    return { html: md.render(`\`\`\`ts\n${codeFrom(EXAMPLE)}\`\`\`\n`, { path: EXAMPLE }) }
  },
}
