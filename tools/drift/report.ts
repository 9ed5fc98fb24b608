// The report of one CLI in one version, and the exit code of all. Pure.
import type { Difference } from "./compare.ts"
import type { TestsOutcome } from "./outcome.ts"

export interface Outcome {
  readonly cli: string
  readonly version: string
  /** The version of the vocabulary it was compared with; absent without one. */
  readonly recorded?: string
  /** Absent where the tests were not asked for. */
  readonly tests?: TestsOutcome
  readonly differences: ReadonlyArray<Difference>
  /** Scenarios that did not come to their end. */
  readonly problems: ReadonlyArray<string>
}

const titles: Readonly<Record<Difference["type"], string>> = {
  break: "gone, and read or named by us",
  gone: "gone otherwise",
  "new kind": "new kinds of lines",
  "new place": "new fields",
  "order gone": "no longer follows",
  "order new": "follows now",
  "offered gone": "no longer offered",
  "offered new": "newly offered"
}

const types = Object.keys(titles) as ReadonlyArray<Difference["type"]> // its own keys

/** Rows of one section; the rest is counted. */
const longest = 60

/** A statement that holds in several places is printed once. */
const linesOf = (differences: ReadonlyArray<Difference>): ReadonlyArray<string> =>
  [...Map.groupBy(differences, ({ what }) => what)].map(([what, all]) => {
    const [first, second] = all.map(({ where }) => where)
    const places = all.length > 2 ? `${first} and ${all.length - 1} more` : [first, second].filter(Boolean).join(", ")
    return `    ${what}  (${places})`
  })

const sectionOf = (type: Difference["type"], differences: ReadonlyArray<Difference>): ReadonlyArray<string> => {
  const found = differences.filter((difference) => difference.type === type)
  if (found.length === 0) return []
  const lines = linesOf(found)
  const rest = lines.length - longest
  return [
    `  ${titles[type]} (${lines.length})`,
    ...lines.slice(0, longest),
    ...(rest > 0 ? [`    and ${rest} more`] : [])
  ]
}

const testsOf = ({ passed, failed, flaky }: TestsOutcome): ReadonlyArray<string> => [
  `  tests: ${passed} passed, ${failed.length} failed`,
  ...failed.map(({ file, name, why }) => `    ${file} › ${name}: ${why}`),
  ...flaky.map((name) => `    passed only when tried once more: ${name}`)
]

export const reportOf = ({ cli, version, recorded, tests, differences, problems }: Outcome): ReadonlyArray<string> => [
  recorded === undefined ? `${cli} ${version}` : `${cli} ${version}, compared with ${recorded}`,
  ...(tests === undefined ? [] : testsOf(tests)),
  ...problems.map((problem) => `  a scenario broke off: ${problem}`),
  ...(differences.length === 0 && recorded !== undefined ? ["  the vocabulary is the same"] : []),
  ...types.flatMap((type) => sectionOf(type, differences))
]

/** 0: all is as it was; 1: words differ; 2: tests fail. */
export const exitCodeOf = (outcomes: ReadonlyArray<Pick<Outcome, "tests" | "differences" | "problems">>): 0 | 1 | 2 => {
  if (outcomes.some(({ tests }) => tests !== undefined && tests.failed.length > 0)) return 2
  return outcomes.some(({ differences, problems }) => differences.length + problems.length > 0) ? 1 : 0
}
