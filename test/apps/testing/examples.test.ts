/** The examples pass `checkView`. With `SCREENSHOTS=DIR`, in four hosts, two themes and three widths, with pictures. */
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { checkView, testHost } from 'portcall/apps/testing'
import { expect, test } from 'vitest'
import { server as refunds } from '../../../examples/apps/refund.ts'
import { server as sales } from '../../../examples/apps/sales.ts'
import { server as trees } from '../../../examples/apps/trees.ts'

const folder = fileURLToPath(new URL('..', import.meta.url))
const pictures = process.env.SCREENSHOTS
const EXAMPLES = [
  ['sales', sales, 'sales', { year: 2026 }],
  ['refund', refunds, 'propose_refund', { order: 'A-1042', amount: 49.9, reason: 'The lamp arrived with a broken shade' }],
  ['trees', trees, 'trees', {}],
] as const
const HOSTS = pictures ? (['chatgpt', 'claude', 'vscode', 'cursor'] as const) : (['claude', 'vscode'] as const)
const WIDTHS = pictures ? [320, 494, 768] : [320]

test.each(EXAMPLES)('the example %s has no faults', { timeout: 300_000 }, async (name, server, tool, args) => {
  await using host = await testHost({ server, folder })
  const found: string[] = []
  for (const profile of HOSTS)
    for (const theme of ['light', 'dark'] as const)
      for (const width of WIDTHS) {
        const view = await host.show({ tool, args, profile, theme, width, scale: 2, now: new Date(0) })
        const { findings } = await checkView(view, { folder, maxReadyMs: 20_000, maxPaintMs: 20_000 })
        for (const { rule, message } of findings) found.push(`${profile} ${theme} ${width}: ${rule}: ${message}`)
        if (pictures) await writeFile(`${pictures}/${name}-${profile}-${theme}-${width}.png`, await view.screenshot())
        await view.close()
      }
  // The table is virtual: it scrolls on purpose.
  expect(found.filter((text) => name !== 'trees' || !text.includes(' view-scroll:'))).toEqual([])
})
