import { tests } from './tools/lib/tests.mjs'

// Files share processes and graphs of modules: a process and a graph for each of them took half of the time.
export default tests(import.meta.url, {
  include: ['packages/portcall/src/**/*.test.ts', 'test/{matrix,wire,examples}/**/*.test.ts', '{tools,bench}/**/*.test.mjs'],
  isolate: false,
})
