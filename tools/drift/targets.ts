// The targets on the command line, and the version of a package that is meant where none is named. Pure.
import { type CliId, clis } from "../../src/cli/clis.ts"
import { compareVersions } from "../../src/cli/versions.ts"

export const ids = Object.keys(clis) as ReadonlyArray<CliId> // its own keys

/** One CLI; without a version, the newest. */
export interface Wanted {
  readonly id: CliId
  readonly version?: string
}

export interface Request {
  readonly wanted: ReadonlyArray<Wanted>
  /** The vocabulary, the pin, the recordings' folder and the docs move to the version that was met. */
  readonly accept: boolean
  /** Walks back to the oldest version that passes. */
  readonly oldest: boolean
  /** Leaves the real tests out; the vocabulary alone. */
  readonly vocabularyOnly: boolean
}

const options = { "--accept": "accept", "--oldest": "oldest", "--vocabulary-only": "vocabularyOnly" } as const
const isOption = (word: string): word is keyof typeof options => word in options
const isId = (word: string): word is CliId => ids.some((id) => id === word)

export const usage = `npm run drift -- [${ids.join("|")}[@VERSION]…] [${Object.keys(options).join("] [")}]`

const wantedOf = (word: string): Wanted => {
  const [id = "", version, ...more] = word.split("@")
  const isVersion = version === undefined || /^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version)
  if (!isId(id) || !isVersion || more.length > 0) throw new Error(`what is "${word}"? ${usage}`)
  return version === undefined ? { id } : { id, version }
}

export const parseRequest = (words: ReadonlyArray<string>): Request => {
  const input = words.filter(isOption).map((word) => options[word])
  const named = words.filter((word) => !isOption(word)).map(wantedOf)
  const requested = named.length === 0 ? ids.map((id) => ({ id })) : named
  const has = (option: (typeof options)[keyof typeof options]) => input.includes(option)
  if (has("accept") && new Set(requested.map(({ id }) => id)).size < requested.length) {
    throw new Error(`--accept takes one version of a CLI. ${usage}`)
  }
  return { wanted: requested, accept: has("accept"), oldest: has("oldest"), vocabularyOnly: has("vocabularyOnly") }
}

const dayMs = 24 * 60 * 60 * 1000

/** Releases without a suffix, newest first by number: a branch may get a late fix. */
export const releasesOf = (published: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.keys(published)
    .filter((version) => /^\d+\.\d+\.\d+$/.test(version))
    .sort((a, b) => compareVersions(b, a))

/** Younger versions may be withdrawn, or published by mistake: those have to be named. */
export const newestOf = (published: Readonly<Record<string, string>>, nowMs: number): string | undefined =>
  releasesOf(published).find((version) => nowMs - Date.parse(published[version] ?? "") >= dayMs)
