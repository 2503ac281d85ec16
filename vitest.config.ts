import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { filesBelow } from './tools/lib/files.mjs'
import { ROOT, SOURCE_FOLDERS, shown } from './tools/lib/paths.mjs'
import { LONG, tests } from './tools/lib/tests.mjs'

/**
 * Parts of tests that concern the whole process: a clock in the place of the real one, on which what other files have left running would run
 * too; timers, handles and listeners that are counted. Files with them run before all others in each process.
 */
const PROCESS_WIDE = /createFakeClock\(|useFakeTimers\(|getActiveResourcesInfo\(|listenerCount\(|spyOn\(globalThis/

const EXAMPLES = join(ROOT, 'test', 'examples')

/** Modules in the place of others: too late where another file has loaded those. */
const MOCKS = /vi\.mock\(/

const files = [...SOURCE_FOLDERS, EXAMPLES].flatMap((folder) => filesBelow(folder, '.test.ts'))
const filesWith = (part: RegExp): string[] => files.filter((file) => part.test(readFileSync(file, 'utf8')))
/** Tests of examples whose modules other files import too: their servers count visits, and close. */
const ALTERED = ['client', 'middleware', 'tasks-client'].map((name) => join(EXAMPLES, `${name}.test.ts`))
const alone = [...filesWith(MOCKS), ...ALTERED].map(shown)
const first = new Set(filesWith(PROCESS_WIDE))

/** Begins with the files that need a process of their own, then those that concern the whole process. */
class Sequencer extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specs)
    const rank = ({ project, moduleId }: TestSpecification): number =>
      project.name === 'alone' ? 0 : first.has(moduleId) ? 1 : 2
    return sorted.sort((one, other) => rank(one) - rank(other))
  }
}

export default tests(import.meta.url, {
  // Most tests wait most of the time, some files for half a minute.
  maxWorkers: availableParallelism() + 6,
  sequence: { sequencer: Sequencer },
  projects: [
    {
      // Files share processes and graphs of modules: one of its own for each of them took half of the time.
      extends: true,
      test: {
        name: 'shared',
        include: [
          'packages/*/{src,server,test-kit}/**/*.test.ts',
          'test/{examples,mistakes,wire}/**/*.test.ts',
          'test/hosts/table.test.ts',
          '{tools,bench}/**/*.test.mjs',
        ],
        exclude: ['**/node_modules/**', ...LONG, ...alone],
        isolate: false,
      },
    },
    { extends: true, test: { name: 'alone', include: alone } },
  ],
})
