/**
 * Counts the results of a check and prints the last line that every runner of this repository prints:
 * `N passed, N failed`.
 */
export function createReport(title) {
  let passed = 0
  let failed = 0
  const fail = (message) => {
    failed += 1
    console.log(`  FAILED  ${message}`)
  }
  console.log(title)
  return {
    get failed() {
      return failed
    },
    pass(message) {
      passed += 1
      if (message) console.log(`  ok      ${message}`)
    },
    fail,
    /** Passes when there are no faults; otherwise fails once and lists them. */
    check(message, faults) {
      if (faults.length === 0) return this.pass(message)
      fail(message)
      for (const fault of faults) console.log(`          ${fault}`)
    },
    note: (message) => console.log(`  -       ${message}`),
    skip: (message) => console.log(`  SKIPPED ${message}`),
    end() {
      console.log(`${passed} passed, ${failed} failed`)
      process.exitCode = failed ? 1 : 0
    },
  }
}
