import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { filesBelow } from './tools/lib/files.mjs'
import { SOURCE_FOLDERS, shown } from './tools/lib/paths.mjs'
import { tests } from './tools/lib/tests.mjs'

/**
 * Parts of tests that concern the whole process: a clock in the place of the real one, on which what other files have left running
 * would run too; modules in the place of others, which come too late where another file has loaded those; timers, handles and listeners
 * that are counted.
 */
const PROCESS_WIDE =
  /createFakeClock\(|useFakeTimers\(|installTimers\(|vi\.mock\(|getActiveResourcesInfo\(|listenerCount\(|spyOn\(globalThis/
const alone = SOURCE_FOLDERS.flatMap((folder) => filesBelow(folder, '.test.ts'))
  .filter((file) => PROCESS_WIDE.test(readFileSync(file, 'utf8')))
  .map(shown)

export default tests(import.meta.url, {
  // Some files wait for half a minute. With fewer workers, at times all of them wait at once.
  maxWorkers: availableParallelism() + 3,
  projects: [
    {
      // Files share processes and graphs of modules: one of its own for each of them took half of the time.
      extends: true,
      test: {
        name: 'shared',
        include: [
          'packages/*/{src,server}/**/*.test.ts',
          'test/{matrix,mistakes,wire}/**/*.test.ts',
          'test/hosts/table.test.ts',
          '{tools,bench}/**/*.test.mjs',
        ],
        exclude: ['**/node_modules/**', ...alone],
        isolate: false,
      },
    },
    {
      // Examples are programs: their modules hold servers, which tests stop.
      extends: true,
      test: { name: 'alone', include: ['test/examples/**/*.test.ts', ...alone] },
    },
  ],
})
