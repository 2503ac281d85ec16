import { LONG, tests } from '../../tools/lib/tests.mjs'

export default tests(new URL('../..', import.meta.url), { include: LONG })
