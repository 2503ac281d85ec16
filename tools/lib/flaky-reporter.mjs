/** A Vitest reporter that shows tests which failed first and passed when they were repeated, with their first error. */
export default class FlakyReporter {
  #flaky = []

  onTestCaseResult(test) {
    if (test.diagnostic()?.flaky) this.#flaky.push(test)
  }

  onTestRunEnd() {
    for (const test of this.#flaky) {
      console.log(
        `FLAKY ${test.module.moduleId}: ${test.fullName}\n  ${test.result().errors?.[0]?.message ?? 'no error on record'}`,
      )
    }
  }
}
