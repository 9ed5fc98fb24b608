// What a report of vitest says about the real-CLI tests. Pure.

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
export const outcomeOf = ({ testResults }: VitestReport, root: string): TestsOutcome => {
  const failed = testResults.flatMap(({ name, message, status, assertionResults }): ReadonlyArray<TestFailure> => {
    const file = name.replace(`${root}/`, "")
    const failures = assertionResults.filter((test) => test.status === "failed")
    if (failures.length === 0 && status === "failed") return [{ file, names: [], name: "", why: firstLine(message) }]
    return failures.map(({ ancestorTitles, title, failureMessages }) => {
      const names = [...ancestorTitles, title].filter((words) => words !== "")
      return { file, names, name: names.join(" › "), why: firstLine(failureMessages[0] ?? "") }
    })
  })
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  return { passed: tests.filter(({ status }) => status === "passed").length, failed, flaky: [] }
}

/** A failure that was tried once more, alone: passed then, or failed, or was not even found. */
export const afterRetry = (before: TestsOutcome, failure: TestFailure, again: TestsOutcome): TestsOutcome => {
  const hasPassed = again.failed.length === 0 && again.passed > 0
  if (!hasPassed) return { ...before, failed: [...before.failed, again.failed[0] ?? failure] }
  return { ...before, passed: before.passed + again.passed, flaky: [...before.flaky, failure.name] }
}
