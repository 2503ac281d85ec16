import { tests } from './tools/lib/tests.mjs'

export default tests(import.meta.url, {
  projects: [
    {
      // Files share processes and graphs of modules: one of its own for each of them took half of the time.
      extends: true,
      test: {
        name: 'shared',
        include: ['packages/portcall/src/**/*.test.ts', 'test/{matrix,wire}/**/*.test.ts', '{tools,bench}/**/*.test.mjs'],
        isolate: false,
      },
    },
    {
      // Examples are programs: their modules hold servers, which tests stop.
      extends: true,
      test: { name: 'programs', include: ['test/examples/**/*.test.ts'] },
    },
  ],
})
