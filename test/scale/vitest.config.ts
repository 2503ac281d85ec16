import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['*.test.ts'],
    testTimeout: 100_000 + 20_000 * Number(process.env.PORTCALL_SCALE ?? 1),
    hookTimeout: 30_000,
    fileParallelism: false,
  },
})
