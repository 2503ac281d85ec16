/** The library as views contain it: the built entry points, bundled and compressed. */
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'

test.each([
  ["export { connectApp } from 'portcall/apps'", 4096],
  ["export { connectApp, applyDefaultStyles } from 'portcall/apps'\nexport * from 'portcall/apps/openai'", 8192],
])('%s: at most %i bytes', async (code, most) => {
  const folder = await mkdtemp(fileURLToPath(new URL('../node_modules/.size-', import.meta.url)))
  const input = join(folder, 'view.mjs')
  writeFileSync(input, code)
  const build = await rolldown({ input, platform: 'browser' })
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false })
  await build.close()
  await rm(folder, { recursive: true })
  expect(gzipSync(output[0].code).length).toBeLessThanOrEqual(most)
})
