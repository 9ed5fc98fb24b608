/** The one table of versions, by CLI; pure. Only the numbers of a version that a program prints are believed. */
export interface KnownVersions {
  /** This package was built for it and tested with it. */
  readonly testedVersion: string
  /** The oldest that is known to work. */
  readonly oldestVersion: string
  /** The damage below the oldest version, for people; a part of a sentence. */
  readonly belowOldest: string
}

export const versions = {
  claude: {
    testedVersion: "2.1.332",
    oldestVersion: "2.1.309",
    belowOldest: "the cost of a resumed session is not reported, and little was tested"
  },
  gemini: {
    testedVersion: "0.61.0",
    oldestVersion: "0.57.0",
    belowOldest: "failures of the model come without their cause"
  },
  codex: {
    testedVersion: "0.171.0",
    oldestVersion: "0.159.3",
    belowOldest: "tools and sub-agents of newer models may not be shown, and before 0.148 options may be refused"
  },
  opencode: { testedVersion: "1.18.33", oldestVersion: "1.17.18", belowOldest: "nothing was tried" },
  pi: {
    testedVersion: "1.6.0",
    oldestVersion: "0.79.1",
    belowOldest: "every directory is trusted, and Pi refuses `trustWorkspace`"
  }
} as const satisfies Readonly<Record<string, KnownVersions>>

/** `older`: below the oldest version. `good`: from there up to the tested one, `tested`. `newer`: above it. */
export type VersionStanding = "older" | "good" | "tested" | "newer"

interface Version {
  readonly numbers: ReadonlyArray<number>
  readonly preRelease: ReadonlyArray<string>
}

/** `--version` may print a little more than the version. */
const longestAnswer = 10_000
const pattern = /(?<![\d.])\d{1,9}(?:\.\d{1,9}){1,3}(?:-[0-9A-Za-z.-]{1,60})?/
export const versionIn = (answer: string): string | undefined => pattern.exec(answer.slice(0, longestAnswer))?.[0]

const parse = (version: string): Version => {
  const dash = version.indexOf("-")
  const [release, preRelease] = dash === -1 ? [version, ""] : [version.slice(0, dash), version.slice(dash + 1)]
  return { numbers: release.split(".").map(Number), preRelease: preRelease === "" ? [] : preRelease.split(".") }
}

const compareIdentifiers = (a: string | undefined, b: string | undefined): number => {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1
  const areNumbers = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (areNumbers[0] === true && areNumbers[1] === true) return Math.sign(Number(a) - Number(b))
  if (areNumbers[0] !== areNumbers[1]) return areNumbers[0] === true ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

/** The order of Semantic Versioning 2.0.0: a pre-release comes before its release. Negative, 0 or positive. */
export const compareVersions = (one: string, other: string): number => {
  const [a, b] = [parse(one), parse(other)]
  for (let at = 0; at < Math.max(a.numbers.length, b.numbers.length); at += 1) {
    const difference = (a.numbers[at] ?? 0) - (b.numbers[at] ?? 0)
    if (difference !== 0) return Math.sign(difference)
  }
  if (a.preRelease.length === 0 || b.preRelease.length === 0) return b.preRelease.length - a.preRelease.length
  for (let at = 0; at < Math.max(a.preRelease.length, b.preRelease.length); at += 1) {
    const difference = compareIdentifiers(a.preRelease[at], b.preRelease[at])
    if (difference !== 0) return difference
  }
  return 0
}

export const standingOf = (
  version: string,
  { testedVersion, oldestVersion }: Pick<KnownVersions, "testedVersion" | "oldestVersion">
): VersionStanding => {
  if (compareVersions(version, oldestVersion) < 0) return "older"
  const byTested = compareVersions(version, testedVersion)
  return byTested === 0 ? "tested" : byTested < 0 ? "good" : "newer"
}
