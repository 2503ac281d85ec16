import { tests } from '../../tools/lib/tests.mjs'

export default tests(import.meta.url, { include: ['*/*.test.ts'] }, { build: true })
