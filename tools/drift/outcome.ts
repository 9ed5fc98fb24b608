// Reads the outcome of the real-CLI tests from a report of vitest. Pure.

export interface TestFailure {
  readonly file: string
  /** The names of the groups around it, then its own; empty for a file that could not be loaded. */
  readonly names: ReadonlyArray<string>
  readonly name: string
  readonly why: string
}

export interface TestsOutcome {
  readonly passed: number
  readonly failed: ReadonlyArray<TestFailure>
  /** Passed when tried once more. */
  readonly flaky: ReadonlyArray<string>
}

/** One run of vitest. */
export interface VitestOutcome {
  /** By name. */
  readonly passed: ReadonlyArray<string>
  readonly failed: ReadonlyArray<TestFailure>
}

export interface VitestReport {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly message: string
    readonly status: string
    readonly assertionResults: ReadonlyArray<{
      readonly ancestorTitles: ReadonlyArray<string>
      readonly title: string
      readonly status: string
      readonly failureMessages: ReadonlyArray<string>
    }>
  }>
}

const firstLine = (text: string) => text.split("\n")[0]?.slice(0, 200) ?? ""

/** A file that could not even be loaded is one failure. */
export const outcomeOf = ({ testResults }: VitestReport, root: string): VitestOutcome => {
  const files = testResults.map(({ name, message, status, assertionResults }) => {
    const file = name.replace(`${root}/`, "")
    const tests = assertionResults.map(({ ancestorTitles, title, status, failureMessages }) => {
      const names = [...ancestorTitles, title].filter((words) => words !== "")
      return { status, failure: { file, names, name: names.join(" › "), why: firstLine(failureMessages[0] ?? "") } }
    })
    const failed = tests.filter((test) => test.status === "failed").map(({ failure }) => failure)
    const isBroken = failed.length === 0 && status === "failed"
    return {
      passed: tests.filter((test) => test.status === "passed").map(({ failure }) => failure.name),
      failed: isBroken ? [{ file, names: [], name: "", why: firstLine(message) }] : failed
    }
  })
  return { passed: files.flatMap(({ passed }) => passed), failed: files.flatMap(({ failed }) => failed) }
}

/** A failed test is tried once more: it passed then, or failed, or was not even found. */
export const afterRetry = (failures: ReadonlyArray<TestFailure>, again: VitestOutcome): TestsOutcome => {
  const failed = failures.flatMap((failure) => {
    if (again.passed.includes(failure.name)) return []
    return [again.failed.find(({ name }) => name === failure.name) ?? failure]
  })
  const flaky = failures.map(({ name }) => name).filter((name) => again.passed.includes(name))
  return { passed: flaky.length, failed, flaky }
}

export const together = (outcomes: ReadonlyArray<TestsOutcome>): TestsOutcome => ({
  passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
  failed: outcomes.flatMap(({ failed }) => failed),
  flaky: outcomes.flatMap(({ flaky }) => flaky)
})
