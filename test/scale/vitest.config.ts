import { tests } from '../../tools/lib/tests.mjs'

const testTimeout = 100_000 + 20_000 * Number(process.env.PORTCALL_SCALE ?? 1)

export default tests(import.meta.url, { include: ['*.test.ts'], testTimeout, fileParallelism: false }, { build: true })
