/** The pictures of docs/tools/inspector.md. `npm run inspector -- --pictures pictures` writes them. */
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBrowser } from './support/inspector.ts'
import { type SampleBackend, startSampleBackend } from './support/sample-backend.ts'
import { sampleEntries, sampleState } from './support/sample-state.ts'

const PAGE = fileURLToPath(new URL('../../../packages/portcall/dist/inspector/page', import.meta.url))
const TARGET = fileURLToPath(new URL('../../../docs/images/inspector/', import.meta.url))
const MOST_BYTES = 200_000

interface Picture {
  hash: string
  colorScheme?: 'light' | 'dark'
  /** The question that is open. */
  question?: string
  width?: number
  prepare?: (page: Page) => Promise<void>
}

const PICTURES: Record<string, Picture> = {
  tools: {
    hash: '#/s1/tools/search',
    prepare: async (page) => {
      await page.locator('#tool-search-query').fill('groceries')
    },
  },
  connect: { hash: '#/connect' },
  question: {
    hash: '#/s1/tools/archive',
    question: 'q1',
    prepare: async (page) => {
      await page.getByRole('region', { name: 'Result' }).evaluate((element) => element.scrollIntoView())
    },
  },
  message: {
    hash: '#/s1/tools/search',
    colorScheme: 'dark',
    prepare: async (page) => {
      await page.locator('.row').nth(1).click()
      await page.getByRole('tab', { name: 'HTTP' }).click()
    },
  },
  doctor: {
    hash: '#/s3/connection',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Timeline' }).first().click()
    },
  },
  oauth: { hash: '#/s1/auth' },
  narrow: { hash: '#/s1/tools/search', colorScheme: 'dark', width: 390 },
}

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

test.runIf(process.env.PICTURES).each(Object.entries(PICTURES))('%s', async (name, picture) => {
  const { hash, colorScheme = 'light', question, width = 1280, prepare } = picture
  const state = sampleState()
  const questions = state.questions.filter(({ id }) => id === question)
  const backend: SampleBackend = await startSampleBackend({
    page: PAGE,
    state: { ...state, questions },
    entries: sampleEntries(),
  })
  const context = await browser.newContext({
    viewport: { width, height: width > 400 ? 800 : 844 },
    colorScheme,
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await page.goto(backend.url + hash)
  await page.locator('main h1, main h2').first().waitFor({ state: 'attached' })
  await prepare?.(page)
  await page.mouse.move(0, 0)
  mkdirSync(TARGET, { recursive: true })
  const path = join(TARGET, `${name}.png`)
  await page.screenshot({ path })
  expect(statSync(path).size).toBeLessThan(MOST_BYTES)
  await context.close()
  await backend.close()
})
