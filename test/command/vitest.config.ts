import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { doors } from '../../tools/lib/doors.mjs'

const exactly = (name: string): RegExp => new RegExp(`^${name}$`)

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: { alias: doors().map(({ name, source }) => ({ find: exactly(name), replacement: source })) },
  test: { include: ['*.test.ts'], testTimeout: 30_000, hookTimeout: 30_000 },
})
